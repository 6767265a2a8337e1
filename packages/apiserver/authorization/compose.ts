import type { IsEnabled, User } from '@kubernode/api';
import { aggregateMessages, type Clock, type Logger } from '@kubernode/machinery';
import { followFile } from '../component-config/follow-file.ts';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Attributes, Authorizer, ClusterState, Decision } from '../seams.ts';
import { abacPart } from './abac.ts';
import { readAuthorizationConfiguration, type AuthorizerConfiguration } from './configuration.ts';
import { authorizationMetrics } from './metrics.ts';
import { createNodeAuthorizer } from './node/node.ts';
import { nodeOf } from './node/node-identity.ts';
import { noRules, type AuthorizerPart, type UserRules } from './part.ts';
import { createRbac, rbacRules, type Rbac } from './rbac/rbac.ts';
import { webhookPart, type WebhookOptions } from './webhook/webhook.ts';

export interface AuthorizationOptions {
  /** `--authorization-mode`, default Node and RBAC; Webhook needs `authorizationWebhook`, ABAC `authorizationPolicy`. */
  readonly authorizationModes?: readonly AuthorizerConfiguration['type'][] | undefined;
  /** `--authorization-config`: read, and with its file, which is followed. */
  readonly authorizationConfig?:
    | {
        readonly authorizers: readonly AuthorizerConfiguration[];
        readonly file: { readonly path: string; readonly text: string };
      }
    | undefined;
  /** `--authorization-policy-file`. */
  readonly authorizationPolicy?: { readonly path: string; readonly text: string } | undefined;
  /** `--authorization-webhook-*`. */
  readonly authorizationWebhook?: WebhookOptions | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly isEnabled: IsEnabled;
  readonly metrics?: MetricsRegistry | undefined;
  readonly outbound?: Outbound | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Logger | undefined;
}

export interface Authorization {
  /** For everything that asks on the way. */
  readonly authorize: Authorizer;
  /** The same, counted: for requests as a whole. */
  readonly authorizeRequest: Authorizer;
  readonly rbac: Rbac;
  /** All that the authorizers can list of a user's rights. */
  readonly rulesFor: (user: User, namespace: string) => UserRules;
}

/** Those who need no authorization at all (kube-apiserver, "privileged groups"). */
const privilegedGroup = 'system:masters';
const allowed: Decision = { allowed: true };

/**
 * Asks the authorizers in their order until one allows or denies; `system:masters` may do everything. Throws where one
 * cannot be made.
 */
export function composeAuthorization(options: AuthorizationOptions & Surroundings, state: ClusterState): Authorization {
  const { clock, signal, authorizationConfig: config } = options;
  const rbac = createRbac(state);
  const metrics = options.metrics && authorizationMetrics(options.metrics, clock);
  const node = createNodeAuthorizer(state, options.isEnabled);
  const policy = options.authorizationPolicy;
  const abac = policy && abacPart(policy.text, policy.path);
  const made = (configuration: AuthorizerConfiguration): AuthorizerPart => {
    const { type, name } = configuration;
    if (type === 'Webhook') {
      const { outbound } = options;
      if (!outbound) throw new Error('authorizer of type Webhook: there is no way to servers outside');
      return webhookPart(configuration.webhook, { outbound, clock, metrics });
    }
    if (type === 'ABAC') {
      if (abac) return { ...abac, name };
      throw new Error('authorization-mode ABAC requires --authorization-policy-file');
    }
    return builtIn(type, name, rbac, node);
  };
  let parts = (config?.authorizers ?? fromModes(options)).map(made);
  const missing = (next: readonly AuthorizerPart[]) =>
    parts.filter(({ type }) => type !== 'Webhook' && !next.some((part) => part.type === type));
  if (config && signal) {
    followFile({
      ...config.file,
      clock,
      signal,
      log: options.log,
      onAttempt: metrics && ((isGood) => metrics.reloaded(isGood)),
      onChange(text) {
        const next = readAuthorizationConfiguration(text).map(made);
        const [lost] = missing(next);
        const added = next.find(({ type }) => type !== 'Webhook' && !parts.some((part) => part.type === type));
        if (lost ?? added) {
          const types = JSON.stringify((lost ?? added)!.type);
          throw new Error(`authorizers of type ${types} cannot be added or removed while the server runs`);
        }
        parts = next;
      },
    });
  }
  const told =
    metrics &&
    ((part: AuthorizerPart, decision: 'allowed' | 'denied') => metrics.decided(part.type, part.name, decision));
  const authorize: Authorizer = (user, attributes) =>
    user.groups.includes(privilegedGroup) ? allowed : askAll(parts, user, attributes, told);
  return {
    rbac,
    authorize,
    authorizeRequest: metrics ? metrics.attempts(authorize) : authorize,
    rulesFor: (user, namespace) => allRules(parts, user, namespace),
  };
}

function fromModes(options: AuthorizationOptions): AuthorizerConfiguration[] {
  return (options.authorizationModes ?? (['Node', 'RBAC'] as const)).map((type) => {
    if (type !== 'Webhook') return { type, name: type.toLowerCase() };
    const { authorizationWebhook: webhook } = options;
    if (!webhook) throw new Error('authorization-mode Webhook requires --authorization-webhook-config-file');
    return { type, name: webhook.name, webhook };
  });
}

type Told = ((part: AuthorizerPart, decision: 'allowed' | 'denied') => void) | undefined;

/** Asks from one authorizer on; `before` is what those before it had no opinion for. */
function askAll(
  parts: readonly AuthorizerPart[],
  user: User,
  attributes: Attributes,
  told: Told,
  start = 0,
  before: Decision = notAllowed,
): Decision | Promise<Decision> {
  let so = before;
  for (let index = start; index < parts.length; index++) {
    const part = parts[index]!;
    const decision = part.authorize(user, attributes);
    if (decision instanceof Promise) {
      return decision.then((later) =>
        isFinal(part, later, told)
          ? later
          : askAll(parts, user, attributes, told, index + 1, both(so, named(part, later))),
      );
    }
    if (isFinal(part, decision, told)) return decision;
    so = both(so, named(part, decision));
  }
  return so;
}

function isFinal(part: AuthorizerPart, decision: Decision, told: Told): boolean {
  if (decision.allowed) told?.(part, 'allowed');
  else if (decision.denied) told?.(part, 'denied');
  else return false;
  return true;
}

/** Whose reason it is, stands before it. */
const named = ({ name }: AuthorizerPart, decision: Decision): Decision =>
  decision.reason && !decision.allowed ? { ...decision, reason: `${name}: ${decision.reason}` } : decision;

/** Two that had no opinion, with what both say of it. */
function both(first: Decision, second: Decision): Decision {
  if (first === notAllowed || first.allowed || second.allowed) return second;
  const reason = [first.reason, second.reason].filter((text) => text !== '').join('\n');
  const errors = [first.error, second.error].filter((text) => text !== undefined);
  return { allowed: false, reason, ...(errors.length > 0 && { error: aggregateMessages(errors) }) };
}

const notAllowed: Decision = { allowed: false, reason: '' };

function allRules(parts: readonly AuthorizerPart[], user: User, namespace: string): UserRules {
  const found = parts.map((part) => part.rulesFor(user, namespace));
  return {
    resourceRules: found.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: found.flatMap(({ nonResourceRules }) => nonResourceRules),
    isIncomplete: found.some(({ isIncomplete, errors }) => isIncomplete === true || (errors?.length ?? 0) > 0),
    errors: found.flatMap(({ errors = [] }) => errors),
  };
}

function builtIn(
  type: 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC',
  name: string,
  rbac: Rbac,
  node: ReturnType<typeof createNodeAuthorizer>,
): AuthorizerPart {
  const everything = {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
  switch (type) {
    case 'AlwaysAllow':
      return { type, name, authorize: () => allowed, rulesFor: () => everything };
    case 'AlwaysDeny': {
      const everythingForbidden: Decision = { allowed: false, reason: 'Everything is forbidden.' };
      return { type, name, authorize: () => everythingForbidden, rulesFor: () => noRules };
    }
    case 'Node': {
      const errors = ['node authorizer does not support user rule resolution'];
      return { type, name, authorize: node, rulesFor: (user) => (nodeOf(user) ? { ...noRules, errors } : noRules) };
    }
    case 'RBAC':
      return {
        type,
        name,
        authorize: (user, attributes) => rbac.authorize(user, attributes),
        rulesFor: (user, namespace) => rbacRules(rbac, user, namespace),
      };
  }
}
