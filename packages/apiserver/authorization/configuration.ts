import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { dns1123Subdomain, formatDuration, parseDuration } from '@kubernode/machinery';
import type { Program } from '@kubernode/machinery/cel';
import { Problems } from '../component-config/problems.ts';
import { readConfiguration } from '../component-config/read.ts';
import { readKubeconfig } from '../outbound/kubeconfig.ts';
import { compileMatchCondition } from './webhook/match-conditions.ts';
import { authorizationModes, type AuthorizationMode } from './part.ts';
import type { WebhookOptions } from './webhook/webhook.ts';

/** One authorizer of the configuration, ready to be made. */
export type AuthorizerConfiguration =
  | { readonly type: Exclude<AuthorizationMode, 'Webhook'>; readonly name: string }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookOptions };

interface WebhookText {
  readonly timeout?: string;
  readonly authorizedTTL?: string;
  readonly unauthorizedTTL?: string;
  readonly cacheAuthorizedRequests?: boolean;
  readonly cacheUnauthorizedRequests?: boolean;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
  readonly matchConditions?: readonly { readonly expression?: string }[];
}

interface ConfigurationText {
  readonly authorizers?: readonly { readonly type?: string; readonly name?: string; readonly webhook?: WebhookText }[];
}

const kind = {
  group: 'apiserver.config.k8s.io',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  kind: 'AuthorizationConfiguration',
  fields: {
    authorizers: [
      {
        type: null,
        name: null,
        webhook: {
          timeout: null,
          authorizedTTL: null,
          unauthorizedTTL: null,
          cacheAuthorizedRequests: null,
          cacheUnauthorizedRequests: null,
          subjectAccessReviewVersion: null,
          matchConditionSubjectAccessReviewVersion: null,
          failurePolicy: null,
          connectionInfo: { type: null, kubeConfigFile: null },
          matchConditions: [{ expression: null }],
        },
      },
    ],
  },
} as const;

/** Reads and judges `--authorization-config` (KEP-3221). Throws all that is wrong with it, worded as upstream's. */
export function readAuthorizationConfiguration(text: string): AuthorizerConfiguration[] {
  const { authorizers = [] } = readConfiguration<ConfigurationText>(text, kind);
  const problems = new Problems();
  if (authorizers.length === 0) problems.required('authorizers', 'at least one authorization mode must be defined');
  const types = new Set<string>();
  const names = new Set<string>();
  const made = authorizers.flatMap(({ type = '', name = '', webhook }, index): (() => AuthorizerConfiguration)[] => {
    const path = `authorizers[${index}]`;
    if (type === '') problems.required(`${path}.type`);
    else if (!isMode(type)) problems.notSupported(`${path}.type`, type, authorizationModes);
    else if (types.has(type) && type !== 'Webhook') problems.duplicate(`${path}.type`, type);
    else {
      types.add(type);
      checkName(name, names, `${path}.name`, problems);
      if (type !== 'Webhook') {
        if (webhook) problems.invalid(`${path}.webhook`, 'non-null', 'may only be specified when type=Webhook');
        return [() => ({ type, name })];
      }
      if (!webhook) problems.required(`${path}.webhook`, 'required when type=Webhook');
      else {
        const conditions = checkWebhook(webhook, path, problems);
        return [() => ({ type, name, webhook: webhookOptions(name, webhook, conditions) })];
      }
    }
    return [];
  });
  problems.throwIfAny();
  return made.map((make) => make());
}

const isMode = (type: string): type is AuthorizationMode => (authorizationModes as readonly string[]).includes(type);

function checkName(name: string, names: Set<string>, path: string, problems: Problems): void {
  const why = dns1123Subdomain(name);
  if (name === '') problems.required(path);
  else if (names.has(name)) problems.duplicate(path, name);
  else if (why.length > 0) problems.invalid(path, name, `authorizer name is invalid: ${why.join(', ')}`);
  names.add(name);
}

const defaultAuthorizedTtl = '5m0s';
const defaultUnauthorizedTtl = '30s';
const timeoutMsMax = 30_000;
const matchConditionsMax = 64;
const versions = ['v1', 'v1beta1'] as const;

function checkWebhook(webhook: WebhookText, path: string, problems: Problems): Program[] {
  const timeoutMs = checkDuration(webhook.timeout, `${path}.timeout`, problems);
  if (timeoutMs !== undefined && (timeoutMs > timeoutMsMax || timeoutMs < 0))
    problems.invalid(`${path}.timeout`, formatDuration(timeoutMs), 'must be > 0s and <= 30s');
  for (const [field, fallback] of [
    ['authorizedTTL', defaultAuthorizedTtl],
    ['unauthorizedTTL', defaultUnauthorizedTtl],
  ] as const) {
    const ms = checkDuration(webhook[field] ?? fallback, `${path}.${field}`, problems);
    if (ms !== undefined && ms < 0) problems.invalid(`${path}.${field}`, formatDuration(ms), 'must be > 0s');
  }
  const check = (field: keyof WebhookText, supported: readonly string[], isRequired: boolean, why = '') => {
    const value = (webhook[field] as string | undefined) ?? '';
    if (value === '' && isRequired) problems.required(`${path}.${field}`, why);
    else if (value !== '' && !supported.includes(value)) problems.notSupported(`${path}.${field}`, value, supported);
  };
  const conditions = webhook.matchConditions ?? [];
  check('subjectAccessReviewVersion', versions, true);
  const why = 'required if match conditions are specified';
  check('matchConditionSubjectAccessReviewVersion', ['v1'], conditions.length > 0, why);
  check('failurePolicy', ['NoOpinion', 'Deny'], true);
  checkConnection(webhook, `${path}.connectionInfo`, problems);
  return checkConditions(conditions, `${path}.matchConditions`, problems);
}

/** Undefined where it is missing or no duration. */
function checkDuration(text: string | undefined, path: string, problems: Problems): number | undefined {
  try {
    const ms = parseDuration(text ?? '0s');
    if (ms !== 0) return ms;
    problems.required(path);
  } catch (error) {
    problems.invalid(path, text, (error as Error).message);
  }
  return undefined;
}

function checkConnection({ connectionInfo = {} }: WebhookText, path: string, problems: Problems): void {
  const { type = '', kubeConfigFile } = connectionInfo;
  const filePath = `${path}.kubeConfigFile`;
  if (type === '') return problems.required(`${path}.type`);
  if (type === 'InClusterConfig') {
    if (kubeConfigFile !== undefined)
      problems.invalid(filePath, kubeConfigFile, 'can only be set when type=KubeConfigFile');
    // A server whose own service account is in a pod has no place here: it is the server that would be asked.
    return problems.add(`${path}.type: InClusterConfig is not supported, expected KubeConfigFile`);
  }
  if (type !== 'KubeConfigFile')
    return problems.notSupported(`${path}.type`, type, ['InClusterConfig', 'KubeConfigFile']);
  if (!kubeConfigFile) return problems.required(filePath);
  if (!isAbsolute(kubeConfigFile)) return problems.invalid(filePath, kubeConfigFile, 'must be an absolute path');
  try {
    if (!statSync(kubeConfigFile).isFile()) problems.invalid(filePath, kubeConfigFile, 'must be a regular file');
    else readKubeconfig(kubeConfigFile).destination();
  } catch (error) {
    problems.invalid(filePath, kubeConfigFile, `error loading file: ${(error as Error).message}`);
  }
}

function checkConditions(
  conditions: readonly { readonly expression?: string }[],
  path: string,
  problems: Problems,
): Program[] {
  if (conditions.length > matchConditionsMax) {
    problems.tooMany(path, conditions.length, matchConditionsMax);
    return [];
  }
  const seen = new Set<string>();
  return conditions.flatMap(({ expression = '' }, index) => {
    const at = `${path}[${index}].expression`;
    if (expression.trim() === '') problems.required(at);
    else if (seen.has(expression)) problems.duplicate(at, expression);
    else {
      seen.add(expression);
      try {
        return [compileMatchCondition(expression)];
      } catch (error) {
        problems.invalid(at, expression, (error as Error).message);
      }
    }
    return [];
  });
}

/** Of a webhook that was found good. */
function webhookOptions(name: string, webhook: WebhookText, matchConditions: readonly Program[]): WebhookOptions {
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true } = webhook;
  const authorizedMs = parseDuration(webhook.authorizedTTL ?? defaultAuthorizedTtl);
  const unauthorizedMs = parseDuration(webhook.unauthorizedTTL ?? defaultUnauthorizedTtl);
  return {
    name,
    destination: readKubeconfig(webhook.connectionInfo!.kubeConfigFile!).destination(),
    version: webhook.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
    timeoutMs: parseDuration(webhook.timeout!),
    authorizedMs: cacheAuthorizedRequests ? authorizedMs : 0,
    unauthorizedMs: cacheUnauthorizedRequests ? unauthorizedMs : 0,
    failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    matchConditions,
  };
}
