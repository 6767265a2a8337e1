import type { User } from '@kubernode/api';
import type { Attributes } from '../seams.ts';

/** A request's place among those that are answered. */
export interface Seat {
  /** Tell the client where it was counted. */
  readonly headers: Readonly<Record<string, string>>;
  /** Not admitted: the client is asked to come back after so long. */
  readonly retryAfterSeconds?: number | undefined;
  /** To be called once, when the request is answered; who waits gets it now, or when the turn is over (`isOutside`). */
  release(): void;
}

export interface Entering {
  readonly user: User;
  readonly attributes: Attributes;
  readonly query: URLSearchParams;
  /** Aborts when it is gone; not made for who need not wait. */
  readonly client: { readonly signal: AbortSignal };
  /**
   * It came over a connection: all that came in the same turn of the event loop are answered at the same time, though one
   * after the other.
   */
  readonly isOutside: boolean;
  /** How long it may wait in a queue. */
  readonly waitMs: number;
}

/** Decides when a request is answered: now, when others are done, or not at all. */
export interface FlowControl {
  /** A promise only where the request has to wait. */
  admit(entering: Entering): Seat | Promise<Seat>;
  /** A watch has begun; call the answer when it ends. */
  watching(attributes: Attributes): () => void;
  /** What the debug endpoints show (`dump_queues`); undefined for other names. */
  dump(name: string, options: { readonly details: boolean }): string | undefined;
  stop(): void;
}

/** Of who need not wait, nor be counted. */
export const unlimited: Seat = { headers: {}, release() {} };
