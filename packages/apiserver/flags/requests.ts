import { requestLimitsDefault } from '../request-limits.ts';
import { boolean, durationMs, integer, parsed, textOr } from './flag.ts';
import { flagGroup } from './group.ts';

/** How many requests at a time, how long each, and how the server ends. */
export const requestFlags = flagGroup({
  title: 'requests',
  flags: {
    'enable-priority-and-fairness': boolean('queue requests by FlowSchemas and PriorityLevelConfigurations', true),
    'max-requests-inflight': integer('<number>', 'requests that read, at a time (with the next: all seats)', 400),
    'max-mutating-requests-inflight': integer('<number>', 'requests that write, at a time', 200),
    'request-timeout': durationMs('time for a request that is no stream', '1m0s'),
    'min-request-timeout': integer('<seconds>', 'a watch without a timeout lasts so long, or up to twice', 1800),
    'http2-max-streams-per-connection': integer('<number>', 'requests at a time on a connection of HTTP/2', 100),
    'goaway-chance': parsed(textOr('<chance>', 'of a request on HTTP/2 to end its connection, 0 to 0.02', '0'), chance),
    'shutdown-delay-duration': durationMs('requests are served for so long after /readyz has failed', '0s'),
    'shutdown-send-retry-after': boolean('answer 429 to new requests while others are served to the end', false),
    'shutdown-watch-termination-grace-period': durationMs('watches end spread over so long', '0s'),
  },
  toOptions: (values) => ({
    server: {
      requestLimits: {
        priorityAndFairness: values['enable-priority-and-fairness'],
        readsInFlightMax: values['max-requests-inflight'],
        writesInFlightMax: values['max-mutating-requests-inflight'],
        requestTimeoutMs: values['request-timeout'],
        watchTimeoutMsMin: values['min-request-timeout'] * 1000,
        streamsPerConnectionMax:
          values['http2-max-streams-per-connection'] || requestLimitsDefault.streamsPerConnectionMax,
        goawayChance: values['goaway-chance'],
        shutdownDelayMs: values['shutdown-delay-duration'],
        shutdownSendsRetryAfter: values['shutdown-send-retry-after'],
        shutdownWatchGraceMs: values['shutdown-watch-termination-grace-period'],
      },
    },
  }),
});

/** Upstream's limit: more would be nothing but new connections. */
const goawayChanceMax = 0.02;

function chance(text: string): number {
  const value = Number(text);
  if (text !== '' && value >= 0 && value <= goawayChanceMax) return value;
  throw new Error(`${JSON.stringify(text)} is not a number from 0 to ${goawayChanceMax}`);
}
