import { BoundedMap, table } from '@kubernode/machinery';
import { StatusError } from '@kubernode/api';

export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor';
export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** How a client wants its answer. */
export interface OutputFormat {
  readonly encoding: Encoding;
  /** Instead of the object itself; with the version of meta.k8s.io that was asked for. */
  readonly transform?: Transform | undefined;
  readonly transformVersion?: string | undefined;
  readonly pretty: boolean;
}

export const mediaTypes: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
};

/** One item after the other (RFC 8742). */
export const cborSequence = 'application/cbor-seq';

export const plainJson: OutputFormat = { encoding: 'json', pretty: false };
export const prettyJson: OutputFormat = { encoding: 'json', pretty: true };

const transforms: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
/** Tables have no binary form. */
const tableEncodings: ReadonlySet<Encoding> = new Set(['json', 'yaml']);
const encodingOf: Readonly<Record<string, Encoding>> = table({
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
  'application/cbor': 'cbor',
  '*/*': 'json',
});

interface Clause {
  readonly mediaType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

type Negotiated = Omit<OutputFormat, 'pretty'>;

/** What an endpoint answers with. */
interface Served {
  /** Of resources. */
  readonly transforms?: boolean;
  /** Where it has not all of them. */
  readonly only?: readonly Encoding[];
  /** Events, one after the other. */
  readonly streams?: boolean;
  readonly cbor?: boolean;
}

/** Strangers, too, may send headers of a megabyte: long ones are not kept. */
const acceptCharsMax = 1_000;

/** What endpoints of one kind answer with. What was negotiated is remembered: clients send the same headers again and again. */
export class Offer {
  readonly #served: Served;
  readonly #negotiated = new BoundedMap<string, Negotiated | 'none'>(200);

  constructor(served: Served = {}) {
    this.#served = served;
  }

  /** The first format of the Accept header, by quality, that is served. Throws NotAcceptable where there is none. */
  negotiate(accept = ''): Negotiated {
    let negotiated = this.#negotiated.get(accept);
    if (negotiated === undefined) {
      negotiated = choose(accept, this.#served) ?? 'none';
      if (accept.length <= acceptCharsMax) this.#negotiated.set(accept, negotiated);
    }
    if (negotiated === 'none') throw notAcceptable(this.#served, !accept.includes('as='));
    return negotiated;
  }
}

/** An offer of servers that serve CBOR, and the same of those that do not. */
export function offers(served: Omit<Served, 'cbor'> = {}): (servesCbor: boolean) => Offer {
  const { only } = served;
  const withCbor = new Offer({ ...served, cbor: true, ...(only ? { only: [...only, 'cbor'] } : {}) });
  const without = new Offer(served);
  return (servesCbor) => (servesCbor ? withCbor : without);
}

/** Names what would be accepted; `isPlain`: no transform was asked for. */
export function notAcceptable({ only, streams, cbor }: Served = {}, isPlain = false): StatusError {
  const everything: readonly Encoding[] = cbor ? ['json', 'yaml', 'protobuf', 'cbor'] : ['json', 'yaml', 'protobuf'];
  const accepted = (only ?? everything).map((encoding) => `${mediaTypes[encoding]}${streams ? ';stream=watch' : ''}`);
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return StatusError.of('NotAcceptable', message, isPlain ? {} : undefined);
}

/** `pretty` as upstream reads it: the query or the accepted type decides, else browsers and command line tools get it indented. */
export function isPretty(query: URLSearchParams, userAgent: string | undefined, accept = ''): boolean {
  const asked = query.get('pretty') ?? /;\s*pretty=([^;,\s]*)/.exec(accept)?.[1] ?? null;
  if (asked !== null) return asked !== 'false' && asked !== '0';
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

function choose(accept: string, options: Served): Negotiated | undefined {
  if (!accept) return { encoding: options.only?.[0] ?? 'json' };
  for (const clause of parseAccept(accept)) {
    const { as, g, v } = clause.parameters;
    const encoding = encodingFor(clause.mediaType, as === undefined ? options.only : undefined);
    if (!encoding || (options.streams && encoding === 'yaml') || (encoding === 'cbor' && !options.cbor)) continue;
    if (as === undefined) return { encoding };
    if (!options.transforms || g !== 'meta.k8s.io' || !transforms.has(as)) continue;
    if ((v !== 'v1' && v !== 'v1beta1') || (as === 'Table' && !tableEncodings.has(encoding))) continue;
    return { encoding, transform: as as Transform, transformVersion: v };
  }
  return undefined;
}

function encodingFor(mediaType: string, only: readonly Encoding[] | undefined): Encoding | undefined {
  const encoding = encodingOf[mediaType];
  if (!encoding || !only || only.includes(encoding)) return encoding;
  return mediaType.includes('*') ? only[0] : undefined;
}

/** The clauses of an Accept header, the best first. */
export function parseAccept(accept: string): readonly Clause[] {
  const clauses = accept.split(',').map((part): Clause => {
    const [mediaType = '', ...rest] = part.split(';').map((piece) => piece.trim());
    const parameters: Record<string, string> = {};
    for (const pair of rest) {
      const equals = pair.indexOf('=');
      if (equals > 0) parameters[pair.slice(0, equals)] = pair.slice(equals + 1);
    }
    const quality = parameters['q'] === undefined ? 1 : Number(parameters['q']);
    return { mediaType, parameters, quality: Number.isFinite(quality) ? quality : 1 };
  });
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

const wildcards = ({ mediaType }: Clause) => (mediaType === '*/*' ? 2 : mediaType.endsWith('/*') ? 1 : 0);
