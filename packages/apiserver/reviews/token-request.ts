import { StatusError, type IsEnabled, type KubernetesObject } from '@kubernode/api';
import type { TokenRequest } from '@kubernode/api/authentication/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { formatTime, type Clock, table } from '@kubernode/machinery';
import type { BoundObject, TokenClaims } from '../authentication/service-account/claims.ts';
import type { TokenSigner } from '../authentication/service-account/signer.ts';
import type { ClusterState, VirtualRequest, VirtualResource } from '../seams.ts';

export interface TokenRequestOptions {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly signer: TokenSigner;
  readonly apiAudiences: readonly string[];
  /** `--service-account-max-token-expiration`: longer wishes are shortened to this. */
  readonly lifetimeSecondsMax?: number | undefined;
  /** `--service-account-extend-token-expiration`: mounted tokens are good for a year. Default true. */
  readonly extendsMounted?: boolean | undefined;
  readonly isEnabled: IsEnabled;
  /** Refuses what a node may not ask for; throws StatusError. */
  readonly restrict: (request: Pick<VirtualRequest, 'attributes' | 'user' | 'object'>) => Promise<void>;
}

const lifetimeSecondsDefault = 3600;
const lifetimeSecondsMin = 600;
const lifetimeSecondsLimit = 2 ** 32;
/** The lifetime of mounted tokens, by which upstream tells those whose holders may not renew them yet. */
const mountedLifetimeSeconds = 3607;
const extendedLifetimeSeconds = 365 * 24 * 3600;

/** `serviceaccounts/token`: a token of the account, bound to an object if asked (KEP-1205, KEP-4193). */
export function tokenRequest(options: TokenRequestOptions): VirtualResource {
  return {
    group: '',
    version: 'v1',
    resource: 'serviceaccounts',
    subresource: 'token',
    kind: 'TokenRequest',
    admitsItself: true,
    blank: { spec: { audiences: null, boundObjectRef: null, expirationSeconds: null } },
    defaults(object) {
      const { spec } = object as unknown as TokenRequest;
      spec.expirationSeconds ??= lifetimeSecondsDefault;
    },
    create: (request) => issue(options, request),
  };
}

async function issue(options: TokenRequestOptions, request: VirtualRequest): Promise<unknown> {
  const { state, clock, signer } = options;
  const { name, namespace } = request.attributes;
  const asked = request.object as unknown as TokenRequest;
  await options.restrict(request);
  checkNames(asked, name, namespace);
  const account = state.get('', 'serviceaccounts', name, namespace);
  if (!account) throw StatusError.notFound({ group: '', plural: 'serviceaccounts' }, name);
  checkUid(asked, account, options, request);
  const wishedSeconds = lifetimeOf(asked);
  const audiences = asked.spec?.audiences?.length ? asked.spec.audiences : [...options.apiAudiences];
  const nowMs = clock.now();
  const uid = asked.metadata?.uid || account.metadata.uid;
  asked.metadata = { ...asked.metadata, name, namespace, uid, creationTimestamp: formatTime(nowMs) };
  asked.spec = { ...asked.spec, audiences };
  await request.admit?.();
  checkAttestations(asked);
  const bound = boundTo(asked, namespace, name, options);
  const expirationSeconds = shortened(wishedSeconds, options, request);
  const isForUs = audiences.every((audience) => options.apiAudiences.includes(audience));
  const isMounted = bound.pod !== undefined && expirationSeconds === mountedLifetimeSeconds && isForUs;
  const isExtended = isMounted && (options.extendsMounted ?? true);
  const token = await signed(signer, {
    namespace,
    serviceAccount: { name, uid: account.metadata.uid ?? '' },
    ...bound,
    audiences,
    lifetimeSeconds: isExtended ? longest(extendedLifetimeSeconds, signer) : expirationSeconds,
    warnAfterSeconds: isExtended ? expirationSeconds : undefined,
  });
  return {
    ...asked,
    spec: { boundObjectRef: null, ...asked.spec, expirationSeconds },
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
  };
}

const longest = (seconds: number, { maxLifetimeSeconds = Infinity }: TokenSigner): number =>
  Math.min(seconds, maxLifetimeSeconds);

async function signed(signer: TokenSigner, claims: TokenClaims): Promise<string> {
  try {
    return await signer.sign(claims);
  } catch (error) {
    throw StatusError.from(new Error(`failed to generate token: ${(error as Error).message}`));
  }
}

function shortened(seconds: number, { lifetimeSecondsMax = 0 }: TokenRequestOptions, request: VirtualRequest): number {
  if (lifetimeSecondsMax === 0 || seconds <= lifetimeSecondsMax) return seconds;
  request.warn(`requested expiration of ${seconds} seconds shortened to ${lifetimeSecondsMax} seconds`);
  return lifetimeSecondsMax;
}

/** A token is not given to an account that was made anew under the same name (KEP-5279). */
function checkUid(
  asked: TokenRequest,
  account: KubernetesObject,
  { isEnabled }: TokenRequestOptions,
  request: VirtualRequest,
): void {
  const { uid } = asked.metadata ?? {};
  if (!uid || uid === account.metadata.uid) return;
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`;
  if (isEnabled('TokenRequestServiceAccountUIDValidation')) {
    const resource = { group: 'authentication.k8s.io', plural: 'TokenRequest' };
    throw StatusError.conflict(resource, account.metadata.name, why);
  }
  const later =
    'but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error';
  request.warn(`${why} ${later}`);
}

function checkNames({ metadata }: TokenRequest, name: string, namespace: string): void {
  if (metadata?.name && metadata.name !== name) {
    const message = `Invalid value: ${JSON.stringify(metadata.name)}: must match the service account name if specified`;
    throw StatusError.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [
      { reason: 'FieldValueInvalid', field: 'metadata.name', message },
    ]);
  }
  if (metadata?.namespace && metadata.namespace !== namespace)
    throw StatusError.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}

function lifetimeOf(asked: TokenRequest): number {
  const seconds = asked.spec?.expirationSeconds ?? lifetimeSecondsDefault;
  const why =
    seconds < lifetimeSecondsMin
      ? 'may not specify a duration less than 10 minutes'
      : seconds > lifetimeSecondsLimit
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (!why) return seconds;
  const cause = {
    reason: 'FieldValueInvalid',
    field: 'spec.expirationSeconds',
    message: `Invalid value: ${seconds}: ${why}`,
  };
  throw StatusError.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [cause]);
}

type Bound = Pick<TokenClaims, 'pod' | 'secret' | 'node'>;

function boundTo(asked: TokenRequest, namespace: string, account: string, options: TokenRequestOptions): Bound {
  const { state, isEnabled } = options;
  const reference = asked.spec?.boundObjectRef;
  if (!reference) return {};
  const { kind = '', apiVersion = '', name = '', uid } = reference;
  const plural = apiVersion.includes('/') ? undefined : boundKinds[kind];
  if (!plural) throw cannotBind(apiVersion, kind);
  if (plural === 'nodes' && !isEnabled('ServiceAccountTokenNodeBinding')) {
    throw StatusError.badRequest(
      'cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate is disabled',
    );
  }
  if (name === '') throw StatusError.badRequest('Name parameter required.');
  const object = state.get('', plural, name, plural === 'nodes' ? undefined : namespace);
  if (!object) throw StatusError.notFound({ group: '', plural }, name);
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw StatusError.conflict({ group: '', plural: kind }, name, why);
  }
  if (plural === 'secrets') return { secret: boundObject(object) };
  if (plural === 'nodes') return { node: boundObject(object) };
  return boundToPod(object as Pod, account, options);
}

/** What a token attests is for webhooks only. Throws Invalid. */
function checkAttestations({ spec }: TokenRequest): void {
  const { attestations, boundObjectRef } = spec as TokenRequest['spec'] & { readonly attestations?: object };
  const isForWebhook = isWebhook(boundObjectRef?.apiVersion, boundObjectRef?.kind);
  const count = Object.keys(attestations ?? {}).length;
  if (isForWebhook ? count === 1 : count === 0) return;
  const why = isForWebhook
    ? 'webhook bound requests require exactly one admissionReviewAPIGroups attestation'
    : 'attestations may only be specified with a webhook bound object reference';
  const message = `Invalid value: ${JSON.stringify(attestations ?? null)}: ${why}`;
  throw StatusError.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
    { reason: 'FieldValueInvalid', field: 'spec.attestations', message },
  ]);
}

const admissionVersion = 'admissionregistration.k8s.io/v1';

const isWebhook = (apiVersion = '', kind = ''): boolean =>
  apiVersion === admissionVersion &&
  (kind === 'ValidatingWebhookConfiguration' || kind === 'MutatingWebhookConfiguration');

function cannotBind(apiVersion: string, kind: string): StatusError {
  const type = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  if (!isWebhook(apiVersion, kind)) {
    return StatusError.badRequest(`cannot bind token to object of type ${type}`);
  }
  const why = 'feature gate APIServerWebhookAuthenticationToken is disabled';
  return StatusError.badRequest(`cannot bind token to object of type ${type} (${why})`);
}

const boundKinds: Readonly<Record<string, 'pods' | 'secrets' | 'nodes'>> = table({
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
});

/** A pod's token also says on which node the pod is. */
function boundToPod(pod: Pod, account: string, { state, isEnabled }: TokenRequestOptions): Bound {
  if (pod.spec.serviceAccountName !== account) {
    const quoted = JSON.stringify(account);
    throw StatusError.badRequest(
      `cannot bind token for serviceaccount ${quoted} to pod running with different serviceaccount name.`,
    );
  }
  if (!isEnabled('ServiceAccountTokenPodNodeInfo')) return { pod: boundObject(pod) };
  const node = pod.spec.nodeName ? state.get('', 'nodes', pod.spec.nodeName) : undefined;
  const nodeClaim = node
    ? { node: boundObject(node) }
    : pod.spec.nodeName
      ? { node: { name: pod.spec.nodeName, uid: '' } }
      : {};
  return { pod: boundObject(pod), ...nodeClaim };
}

const boundObject = ({ metadata }: KubernetesObject): BoundObject => ({ name: metadata.name, uid: metadata.uid ?? '' });
