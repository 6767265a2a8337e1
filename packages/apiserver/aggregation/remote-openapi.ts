import { openApiV2Protobuf } from '@kubernode/api';
import type { Destination } from '../outbound/destination.ts';
import type { ExtensionClient } from './extension-client.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The published documents of one group version of an extension server. */
export interface RemoteOpenApi {
  /** Changes with any of the documents. */
  readonly etag: string;
  /** Of version 2: its paths, with all definitions and parameters of the document that they may refer to. */
  readonly version2: OpenApiV2Part | undefined;
  /** Its documents of version 3 by their path below /openapi/v3/, with the address that it gives for each. */
  readonly version3: ReadonlyMap<string, string>;
}

export interface OpenApiV2Part {
  readonly paths: Schema;
  readonly definitions: Schema;
  readonly parameters: Schema;
}

const timeoutMs = 60_000;

/** Asks an extension server for its documents; `known` is kept where they did not change. Rejects where it is silent. */
export async function remoteOpenApi(
  client: ExtensionClient,
  to: Destination,
  group: string,
  version: string,
  known: RemoteOpenApi | undefined,
): Promise<RemoteOpenApi> {
  const [knownTag, knownIndex] = known ? (JSON.parse(known.etag) as [string, string]) : [undefined, undefined];
  const [whole, index] = await Promise.all([
    client.get(to, '/openapi/v2', { timeoutMs, etag: knownTag || undefined }),
    client.get(to, '/openapi/v3', { timeoutMs }),
  ]);
  const prefix = group ? `apis/${group}/${version}` : `api/${version}`;
  const version3 = index.status === 200 ? addressesOf(index.body, prefix) : new Map<string, string>();
  const indexTag = JSON.stringify([...version3]);
  if (whole.status === 304 && known) {
    return knownIndex === indexTag ? known : { ...known, version3, etag: JSON.stringify([knownTag, indexTag]) };
  }
  const version2 = whole.status === 200 ? partOf(whole.body, `/${prefix}/`) : undefined;
  const tag = whole.headers['etag'];
  return { version2, version3, etag: JSON.stringify([typeof tag === 'string' ? tag : '', indexTag]) };
}

function addressesOf(body: Buffer, prefix: string): Map<string, string> {
  const { paths = {} } = JSON.parse(body.toString('utf8')) as {
    paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
  };
  const addresses = new Map<string, string>();
  const address = Object.hasOwn(paths, prefix) ? paths[prefix]?.serverRelativeURL : undefined;
  if (typeof address === 'string') addresses.set(prefix, address);
  return addresses;
}

/**
 * Only what the APIService is for: an extension server publishes more, such as its own /apis. Throws where that is not of
 * the types that it must be of, for it becomes part of our document.
 */
function partOf(body: Buffer, prefix: string): OpenApiV2Part {
  const document = JSON.parse(body.toString('utf8')) as Partial<OpenApiV2Part>;
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => `${path}/`.startsWith(prefix));
  const part = {
    paths: Object.fromEntries(paths),
    definitions: document.definitions ?? {},
    parameters: document.parameters ?? {},
  };
  openApiV2Protobuf(part);
  return part;
}
