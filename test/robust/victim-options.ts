import type { ApiServerOptions } from '@kubernode/apiserver';

export interface VictimOptions {
  readonly requestLimits?: ApiServerOptions['requestLimits'];
  /** What its process may open, at most. */
  readonly filesMax?: number;
}

/** What a server's process holds. */
export interface Holdings {
  readonly sockets: number;
  readonly rssBytes: number;
  /** The most that it ever was. */
  readonly peakRssBytes: number;
}
