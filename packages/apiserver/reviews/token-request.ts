import { StatusError, type KubernetesObject } from '@kubernode/api';
import type { TokenRequest } from '@kubernode/api/authentication/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { formatTime, type Clock } from '@kubernode/machinery';
import type { BoundObject, ServiceAccountTokens, TokenClaims } from '../authentication/service-account-tokens.ts';
import type { AdmissionRequest, ClusterState, VirtualRequest, VirtualResource } from '../seams.ts';

export interface TokenRequestOptions {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly tokens: ServiceAccountTokens;
  readonly apiAudiences: readonly string[];
  /** Refuses what a node may not ask for; throws StatusError. */
  readonly restrict: (request: Pick<AdmissionRequest, 'attributes' | 'user' | 'object'>) => void;
}

const lifetimeSecondsDefault = 3600;
const lifetimeSecondsMin = 600;
const lifetimeSecondsMax = 2 ** 32;
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
    defaults(object) {
      const { spec } = object as unknown as TokenRequest;
      spec.expirationSeconds ??= lifetimeSecondsDefault;
    },
    create: (request) => issue(options, request),
  };
}

function issue(options: TokenRequestOptions, request: VirtualRequest): unknown {
  const { state, clock, tokens } = options;
  const { name, namespace } = request.attributes;
  const asked = request.object as unknown as TokenRequest;
  options.restrict(request);
  const account = state.get('', 'serviceaccounts', name, namespace);
  if (!account) throw StatusError.notFound({ group: '', plural: 'serviceaccounts' }, name);
  checkNames(asked, name, namespace);
  const expirationSeconds = lifetimeOf(asked);
  const audiences = asked.spec?.audiences?.length ? asked.spec.audiences : [...options.apiAudiences];
  const isForUs = audiences.some((audience) => options.apiAudiences.includes(audience));
  const isExtended = expirationSeconds === mountedLifetimeSeconds && isForUs;
  const token = tokens.sign({
    namespace,
    serviceAccount: { name, uid: account.metadata.uid ?? '' },
    ...boundTo(asked, namespace, name, state),
    audiences,
    lifetimeSeconds: isExtended ? extendedLifetimeSeconds : expirationSeconds,
    warnAfterSeconds: isExtended ? expirationSeconds : undefined,
  });
  const { uid, creationTimestamp } = account.metadata;
  return {
    ...asked,
    metadata: { ...asked.metadata, name, namespace, uid, creationTimestamp },
    spec: { boundObjectRef: null, ...asked.spec, audiences, expirationSeconds },
    status: { token, expirationTimestamp: formatTime(clock.now() + expirationSeconds * 1000) },
  };
}

function checkNames({ metadata }: TokenRequest, name: string, namespace: string): void {
  if (metadata?.name && metadata.name !== name)
    throw StatusError.badRequest(`metadata.name must match the service account name: ${metadata.name} != ${name}`);
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
      : seconds > lifetimeSecondsMax
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (!why) return seconds;
  const cause = {
    reason: 'FieldValueInvalid',
    field: 'spec.expirationSeconds',
    message: `Invalid value: ${seconds}: ${why}`,
  };
  throw StatusError.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, asked.metadata?.name ?? '', [
    cause,
  ]);
}

type Bound = Pick<TokenClaims, 'pod' | 'secret' | 'node'>;

function boundTo(asked: TokenRequest, namespace: string, account: string, state: ClusterState): Bound {
  const reference = asked.spec?.boundObjectRef;
  if (!reference) return {};
  const { kind = '', apiVersion = '', name = '', uid } = reference;
  const plural = apiVersion === 'v1' || apiVersion === '' ? boundKinds[kind] : undefined;
  if (!plural) throw StatusError.badRequest(`cannot bind token to object of type ${apiVersion}, Kind=${kind}`);
  const object = state.get('', plural, name, plural === 'nodes' ? undefined : namespace);
  if (!object) throw StatusError.notFound({ group: '', plural }, name);
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw StatusError.conflict({ group: '', plural: kind }, name, why);
  }
  if (plural === 'secrets') return { secret: boundObject(object) };
  if (plural === 'nodes') return { node: boundObject(object) };
  return boundToPod(object as Pod, account, state);
}

const boundKinds: Readonly<Record<string, 'pods' | 'secrets' | 'nodes'>> = {
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
};

/** A pod's token also says on which node the pod is. */
function boundToPod(pod: Pod, account: string, state: ClusterState): Bound {
  if (pod.spec.serviceAccountName !== account) {
    const quoted = JSON.stringify(account);
    throw StatusError.badRequest(
      `cannot bind token for serviceaccount ${quoted} to pod running with different serviceaccount name.`,
    );
  }
  const node = pod.spec.nodeName ? state.get('', 'nodes', pod.spec.nodeName) : undefined;
  const nodeClaim = node
    ? { node: boundObject(node) }
    : pod.spec.nodeName
      ? { node: { name: pod.spec.nodeName, uid: '' } }
      : {};
  return { pod: boundObject(pod), ...nodeClaim };
}

const boundObject = ({ metadata }: KubernetesObject): BoundObject => ({ name: metadata.name, uid: metadata.uid ?? '' });
