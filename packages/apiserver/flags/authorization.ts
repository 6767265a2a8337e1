import { readAuthorizationConfiguration } from '../authorization/configuration.ts';
import { authorizationModes, type AuthorizationMode } from '../authorization/part.ts';
import { readKubeconfig } from '../outbound/kubeconfig.ts';
import { durationMs, list, text, textOr } from './flag.ts';
import { fileOf, FlagError, flagGroup, withFlag } from './group.ts';

/** May they. */
export const authorizationFlags = flagGroup({
  title: 'authorization',
  flags: {
    'authorization-mode': list(
      '<list>',
      'asked in this order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny',
      'Node,RBAC',
    ),
    'authorization-config': text('<file>', 'AuthorizationConfiguration: authorizers in their order'),
    'authorization-policy-file': text('<file>', 'policy of mode ABAC: a JSON object a line'),
    'authorization-webhook-config-file': text('<file>', 'kubeconfig of the server that mode Webhook asks'),
    'authorization-webhook-version': textOr(
      '<version>',
      'version of the SubjectAccessReview that it is sent',
      'v1beta1',
    ),
    'authorization-webhook-cache-authorized-ttl': durationMs('how long what it allowed is remembered', '5m0s'),
    'authorization-webhook-cache-unauthorized-ttl': durationMs('how long what it refused is remembered', '30s'),
  },
  toOptions(values) {
    const policy = values['authorization-policy-file'];
    const modes = values['authorization-mode']?.map(modeOf);
    const webhook = webhookOf(values);
    const config = configOf(values['authorization-config'], modes, webhook);
    requireFlag(modes, 'Webhook', webhook, 'authorization-webhook-config-file');
    requireFlag(modes ?? (config ? undefined : []), 'ABAC', policy, 'authorization-policy-file');
    return {
      security: {
        authorizationModes: modes,
        authorizationConfig: config,
        authorizationPolicy:
          policy === undefined ? undefined : { path: policy, text: fileOf('authorization-policy-file', policy) },
        authorizationWebhook: webhook,
      },
    };
  },
});

function modeOf(name: string): AuthorizationMode {
  const known = authorizationModes.find((mode) => mode === name);
  if (known) return known;
  const expected = `expected ${authorizationModes.join(', ')}`;
  throw new FlagError('authorization-mode', `there is no mode ${JSON.stringify(name)}, ${expected}`);
}

/** A mode and its file come together. */
function requireFlag(
  modes: readonly AuthorizationMode[] | undefined,
  mode: AuthorizationMode,
  value: unknown,
  flag: string,
): void {
  if (!modes) return;
  const isAsked = modes.includes(mode);
  if (isAsked && value === undefined) throw new FlagError(flag, `authorization-mode ${mode} needs it`);
  if (!isAsked && value !== undefined) throw new FlagError(flag, `only authorization-mode ${mode} uses it`);
}

function configOf(path: string | undefined, modes: unknown, webhook: unknown) {
  if (path === undefined) return undefined;
  if (modes ?? webhook) {
    const why = 'cannot be specified together with --authorization-mode or --authorization-webhook-* flags';
    throw new FlagError('authorization-config', why);
  }
  const file = { path, text: fileOf('authorization-config', path) };
  return { file, authorizers: withFlag('authorization-config', () => readAuthorizationConfiguration(file.text)) };
}

const webhookTimeoutMs = 30_000;

function webhookOf(values: {
  readonly 'authorization-webhook-config-file': string | undefined;
  readonly 'authorization-webhook-version': string;
  readonly 'authorization-webhook-cache-authorized-ttl': number;
  readonly 'authorization-webhook-cache-unauthorized-ttl': number;
}) {
  const file = values['authorization-webhook-config-file'];
  if (file === undefined) return undefined;
  const version = values['authorization-webhook-version'];
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new FlagError('authorization-webhook-version', `${JSON.stringify(version)} is neither v1 nor v1beta1`);
  }
  return {
    // As upstream names the one that flags describe.
    name: 'default',
    destination: withFlag('authorization-webhook-config-file', () => readKubeconfig(file).destination()),
    version: version as 'v1' | 'v1beta1',
    timeoutMs: webhookTimeoutMs,
    authorizedMs: values['authorization-webhook-cache-authorized-ttl'],
    unauthorizedMs: values['authorization-webhook-cache-unauthorized-ttl'],
    failurePolicy: 'NoOpinion' as const,
    matchConditions: [],
  };
}
