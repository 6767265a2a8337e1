/** How many requests a server answers at a time, how long each may take, what a connection may cost, and how it ends. */
export interface RequestLimits {
  /** `--enable-priority-and-fairness`. Off: at most so many at a time, by the two limits below. */
  readonly priorityAndFairness: boolean;
  /** `--max-requests-inflight`; with priority and fairness the sum of both is the number of seats. */
  readonly readsInFlightMax: number;
  /** `--max-mutating-requests-inflight` */
  readonly writesInFlightMax: number;
  /** `--request-timeout`: of what is no stream. A client may ask for less (`?timeout=5s`). */
  readonly requestTimeoutMs: number;
  /** `--min-request-timeout`: a watch that asks for no time lasts so long, or up to twice. */
  readonly watchTimeoutMsMin: number;
  /** `--http2-max-streams-per-connection` */
  readonly streamsPerConnectionMax: number;
  /** For a TLS handshake, and for the head of a request. */
  readonly headTimeoutMs: number;
  /** A connection without a request is closed. */
  readonly idleTimeoutMs: number;
  /** Who neither takes the end of what ended here, nor ends what is answered already, is cut after so long. */
  readonly lingerMs: number;
  /** `--goaway-chance`: of a request on HTTP/2 to end its connection, so that clients spread over servers. */
  readonly goawayChance: number;
  /** `--shutdown-delay-duration`: answers go on for so long after /readyz has failed. */
  readonly shutdownDelayMs: number;
  /** `--shutdown-send-retry-after`: who comes later is told so while others are served to the end. */
  readonly shutdownSendsRetryAfter: boolean;
  /** `--shutdown-watch-termination-grace-period`: watches end spread over so long. */
  readonly shutdownWatchGraceMs: number;
}

export const requestLimitsDefault: RequestLimits = {
  priorityAndFairness: true,
  readsInFlightMax: 400,
  writesInFlightMax: 200,
  requestTimeoutMs: 60_000,
  watchTimeoutMsMin: 30 * 60_000,
  streamsPerConnectionMax: 100,
  headTimeoutMs: 32_000,
  idleTimeoutMs: 90_000,
  lingerMs: 10_000,
  goawayChance: 0,
  shutdownDelayMs: 0,
  shutdownSendsRetryAfter: false,
  shutdownWatchGraceMs: 0,
};
