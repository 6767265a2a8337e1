import { httpHeaderName, portName } from '@kubernode/machinery';
import type {
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
  TCPSocketAction,
} from '../../generated/types/core/v1.ts';
import type { IntOrString } from '../../scalars.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { all, evenIfAbsent, fields, orZero, type Rule, type RuleWithin } from '../rule.ts';
import { isEmpty, nonNegative, oneOf, portNumber, required } from '../values.ts';
import type { PodContext } from './context.ts';

/** A port by number or by name; absent counts as 0. */
const portNumberOrName: Rule<IntOrString> = evenIfAbsent((port: IntOrString | undefined, path) => {
  if (typeof port === 'string') return portName(port).map((detail) => invalid(path, port, detail));
  return portNumber(port ?? 0, path);
});

const exec = fields<ExecAction>({ command: required });

const httpGet = all<HTTPGetAction>(
  fields<HTTPGetAction>({ path: required, port: portNumberOrName, scheme: oneOf('HTTP', 'HTTPS') }),
  ({ httpHeaders = [] }, path) =>
    httpHeaders.flatMap(({ name }) =>
      httpHeaderName(name).map((detail) => invalid(`${path}.httpHeaders`, name, detail)),
    ),
);

const tcpSocket = fields<TCPSocketAction>({ port: portNumberOrName });
const grpc = fields<GRPCAction>({ port: orZero(portNumber) });

const sleep: RuleWithin<SleepAction, PodContext> = ({ seconds }, path, _old, { gracePeriodSeconds }) => {
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`;
  return [invalid(path, seconds, detail)];
};

type Action = 'exec' | 'httpGet' | 'tcpSocket' | 'grpc' | 'sleep';
type Handler = { readonly [A in Action]?: unknown };

/** Exactly one action: the first is checked, any further one forbidden. */
function handler<H extends Handler, C>(rules: { readonly [A in Action]?: RuleWithin<never, C> }): RuleWithin<H, C> {
  const actions = Object.entries(rules).map(([name, rule]) => ({ name: name as Action, rule }));
  return (value, path, _old, context) => {
    let found: readonly FieldCause[] = [];
    let count = 0;
    for (const { name, rule } of actions) {
      const action = value[name];
      if (action === undefined || action === null) continue;
      const at = `${path}.${name}`;
      if (count > 0) found = [...found, forbidden(at, 'may not specify more than 1 handler type')];
      else found = rule(action as never, at, undefined, context);
      count += 1;
    }
    return count > 0 ? found : [requiredCause(path, 'must specify a handler type')];
  };
}

const probeHandler = handler<Probe, undefined>({ exec, httpGet, tcpSocket, grpc }) as Rule<Probe>;

const probe: Rule<Probe> = all<Probe>(
  probeHandler,
  fields<Probe>({
    initialDelaySeconds: nonNegative,
    timeoutSeconds: nonNegative,
    periodSeconds: nonNegative,
    successThreshold: nonNegative,
    failureThreshold: nonNegative,
    terminationGracePeriodSeconds: (value, path) =>
      value <= 0 ? [invalid(path, value, 'must be greater than 0')] : [],
  }),
);

const mustBeOne: Rule<number> = (value, path) => (value === 1 ? [] : [invalid(path, value, 'must be 1')]);
const notForReadiness: Rule<number> = (value, path) => [invalid(path, value, 'must not be set for readinessProbes')];

/** Liveness and startup probes need one success only. */
export const livenessProbe: Rule<Probe> = all<Probe>(probe, fields<Probe>({ successThreshold: mustBeOne }));
/** Readiness never kills, so it has no grace period. */
export const readinessProbe: Rule<Probe> = all<Probe>(
  probe,
  fields<Probe>({ terminationGracePeriodSeconds: notForReadiness }),
);

const lifecycleHandler = handler<LifecycleHandler, PodContext>({ exec, httpGet, tcpSocket, sleep });

const linuxSignals = (
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN ' +
  'TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'
)
  .split(' ')
  .concat(Array.from({ length: 15 }, (_, index) => `RTMIN+${index + 1}`))
  .concat(Array.from({ length: 14 }, (_, index) => `RTMAX-${index + 1}`))
  .map((name) => `SIG${name}`);
const windowsSignals = ['SIGKILL', 'SIGTERM'];

const stopSignal: RuleWithin<string, PodContext> = (value, path, _old, { spec }) => {
  const osName = spec.os?.name;
  if (!osName) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const supported = osName === 'windows' ? windowsSignals : linuxSignals;
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
};

export const lifecycle = fields<Lifecycle, PodContext>({
  postStart: lifecycleHandler,
  preStop: lifecycleHandler,
  stopSignal,
});

/** What belongs to long-running containers only. */
export const notOnInitContainers =
  (names: readonly string[], why: string): Rule<object> =>
  (container, path) =>
    names
      .filter((name) => !isEmpty((container as Record<string, unknown>)[name]))
      .map((name) => forbidden(`${path}.${name}`, why));
