import type { Attributes } from '../seams.ts';

/** What a request costs: seats while it is answered, and seats for a while after it (KEP-1040). */
export interface Work {
  readonly initialSeats: number;
  /** Taken by the watchers that a write wakes. */
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
}

export const seatsOf = ({ initialSeats, finalSeats }: Work): number => Math.max(initialSeats, finalSeats);

/** What the estimator has to know of the server. */
export interface WorkFacts {
  /** How many objects are stored, and how many bytes they have on average; undefined for resources without objects. */
  readonly stored: (attributes: Attributes) => { readonly count: number; readonly averageBytes: number } | undefined;
  /** How many watches a write of this would be told to. */
  readonly watches: (attributes: Attributes) => number;
}

const listSeatsMax = 100;
const writeSeatsMax = 10;
const watchesPerSeat = 10;
const bytesPerSeat = 100_000;
/** A list out of the cache is streamed: more than this is not in memory at once. */
const streamedBytesMax = 1_000_000;
/** How long a write keeps a seat for each ten watchers. */
const eventLatencyMs = 5;

const oneSeat: Work = { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 };

/** `seatsMax`: what one request of its priority level may take; undefined where the level has no queues. */
export function estimateWork(
  attributes: Attributes,
  query: URLSearchParams,
  facts: WorkFacts,
  seatsMax: number | undefined,
): Work {
  switch (attributes.verb) {
    case 'list':
    case 'watch':
      return estimateList(attributes, query, facts, Math.min(seatsMax ?? listSeatsMax, listSeatsMax));
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return estimateWrite(attributes, facts, Math.min(seatsMax ?? writeSeatsMax, writeSeatsMax));
    default:
      return oneSeat;
  }
}

/** A watch costs what its initial events do, and nothing else. */
function estimateList(attributes: Attributes, query: URLSearchParams, facts: WorkFacts, seatsMax: number): Work {
  const resourceVersion = query.get('resourceVersion') ?? '';
  const isWatch = attributes.verb === 'watch';
  if (isWatch && query.get('sendInitialEvents') !== 'true' && resourceVersion !== '' && resourceVersion !== '0') {
    return oneSeat;
  }
  const stored = facts.stored(attributes);
  if (!stored) return oneSeat;
  const limit = Number(query.get('limit') ?? 0);
  const limited = limit > 0 ? Math.min(limit, stored.count) : stored.count;
  const fromCache = isWatch || !isOfThePast(query, resourceVersion);
  const loaded = loadedObjects(attributes, { fromCache, limited, count: stored.count });
  const bytes = loaded * stored.averageBytes;
  const seats = Math.ceil((fromCache ? Math.min(bytes, streamedBytesMax) : bytes) / bytesPerSeat);
  if (seats <= 1) return oneSeat;
  return { ...oneSeat, initialSeats: Math.max(1, Math.min(seats, seatsMax)) };
}

interface Extent {
  readonly fromCache: boolean;
  readonly limited: number;
  readonly count: number;
}

function loadedObjects({ name, fieldSelector, labelSelector }: Attributes, { fromCache, limited, count }: Extent) {
  if (name !== '') return 1;
  if (!fromCache && (fieldSelector || labelSelector)) return Math.max(limited, Math.floor(count / 2));
  return limited;
}

/** Only such lists are read from the store; the watch cache answers the others. */
function isOfThePast(query: URLSearchParams, resourceVersion: string): boolean {
  return query.has('continue') || (query.get('resourceVersionMatch') === 'Exact' && resourceVersion !== '');
}

function estimateWrite(attributes: Attributes, facts: WorkFacts, seatsMax: number): Work {
  if (attributes.resource === 'serviceaccounts' && attributes.subresource === 'token') return oneSeat;
  const watches = facts.watches(attributes);
  if (watches < watchesPerSeat) return oneSeat;
  const wanted = Math.ceil(watches / watchesPerSeat);
  const finalSeats = Math.min(wanted, seatsMax);
  return { initialSeats: 1, finalSeats, additionalLatencyMs: (wanted * eventLatencyMs) / finalSeats };
}
