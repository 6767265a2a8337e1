import type { Container, Pod, ServiceAccount, Volume } from '@kubernode/api/core/v1';
import { randomSuffix, type Clock, type Random } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { created, refuse } from '../refuse.ts';

export interface ServiceAccountPluginOptions {
  readonly clock: Clock;
  readonly random: Random;
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets';
const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** How long a pod waits for the account `default`, which a controller makes in every new namespace. */
const defaultAccountWaitMs = 1500;

/** Gives each pod its service account, and the account's token as a projected volume (KEP-1205). */
export function serviceAccountPlugin(state: ClusterState, options: ServiceAccountPluginOptions): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    resources: ['pods'],
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (!pod) return;
      // The kubelet takes a mirror pod that differs from its file for another one.
      if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return checkMirrorPod(request, pod);
      const { namespace } = request.attributes;
      const name = (pod.spec.serviceAccountName ||= 'default');
      pod.spec.serviceAccount = name;
      const account = accountOf(state, namespace, name);
      if (account || name !== 'default') return giveAccount(request, pod, account, options.random);
      return waitForDefault(state, options.clock, namespace).then((waitedFor) =>
        giveAccount(request, pod, waitedFor, options.random),
      );
    },
  };
}

function giveAccount(request: AdmissionRequest, pod: Pod, account: ServiceAccount | undefined, random: Random): void {
  if (!account) {
    const { serviceAccountName: name = '' } = pod.spec;
    const { namespace } = request.attributes;
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw refuse(request, why);
  }
  if (account.metadata.annotations?.[enforceAnnotation] === 'true') checkMountable(request, pod, account);
  if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, random);
  if (!pod.spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
    pod.spec.imagePullSecrets = account.imagePullSecrets.map((reference) => ({ ...reference }));
}

const accountOf = (state: ClusterState, namespace: string, name: string) =>
  state.get('', 'serviceaccounts', name, namespace) as ServiceAccount | undefined;

/** The account `default` as soon as it is there; undefined where it does not come. */
async function waitForDefault(state: ClusterState, clock: Clock, namespace: string) {
  const name = 'default';
  await new Promise<void>((resolve) => {
    const done = () => {
      stopWatching();
      cancel();
      resolve();
    };
    const stopWatching = state.onChange('', 'serviceaccounts', (account, deleted) => {
      if (!deleted && account.metadata.name === name && account.metadata.namespace === namespace) done();
    });
    const cancel = clock.after(defaultAccountWaitMs, done);
  });
  return accountOf(state, namespace, name);
}

function mountToken(pod: Pod, random: Random): void {
  const volumes = (pod.spec.volumes ??= []);
  const existing = volumes.find((volume) => volume.name.startsWith(volumePrefix))?.name;
  const name = existing ?? volumePrefix + randomSuffix(random, 5);
  let isUsed = false;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const mounts = (container.volumeMounts ??= []);
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
    mounts.push({ name, readOnly: true, mountPath });
    isUsed = true;
  }
  if (isUsed && !existing) volumes.push(tokenVolume(name));
  if (volumes.length === 0) delete pod.spec.volumes;
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      // An hour and seven seconds: upstream's mark of a token that it mounted by itself.
      { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 0o644,
  },
});

function checkMirrorPod(request: AdmissionRequest, pod: Pod): void {
  if (pod.spec.serviceAccountName) throw refuse(request, 'a mirror pod may not reference service accounts');
  if (secretUses(pod).next().value) throw refuse(request, 'a mirror pod may not reference secrets');
  for (const volume of pod.spec.volumes ?? [])
    if (volume.projected?.sources?.some((source) => source.serviceAccountToken))
      throw refuse(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Only what the account lists (annotation kubernetes.io/enforce-mountable-secrets). */
function checkMountable(request: AdmissionRequest, pod: Pod, account: ServiceAccount): void {
  const name = account.metadata.name;
  const allowed = new Set(account.secrets?.map((secret) => secret.name));
  for (const { secret, by } of secretUses(pod)) {
    if (allowed.has(secret)) continue;
    const why = `${by} secret.secretName="${secret}" is not allowed because service account ${name} does not reference that secret`;
    throw refuse(request, why);
  }
  const pullable = new Set(account.imagePullSecrets?.map((secret) => secret.name));
  for (const [index, secret] of (pod.spec.imagePullSecrets ?? []).entries()) {
    if (pullable.has(secret.name)) continue;
    const what = `imagePullSecrets[${index}].name="${secret.name}"`;
    throw refuse(
      request,
      `${what} is not allowed because service account ${name} does not reference that imagePullSecret`,
    );
  }
}

function* secretUses(pod: Pod): Generator<{ readonly secret: string; readonly by: string }> {
  for (const { secret } of pod.spec.volumes ?? [])
    if (secret?.secretName) yield { secret: secret.secretName, by: 'volume with' };
  for (const container of pod.spec.initContainers ?? []) yield* secretsOf(container, 'init container');
  for (const container of pod.spec.containers) yield* secretsOf(container, 'container');
}

function* secretsOf({ name, env, envFrom }: Container, what: string) {
  for (const variable of env ?? []) {
    const secret = variable.valueFrom?.secretKeyRef?.name;
    if (secret) yield { secret, by: `${what} ${name} with envVar ${variable.name} referencing` };
  }
  for (const { secretRef } of envFrom ?? [])
    if (secretRef?.name) yield { secret: secretRef.name, by: `${what} ${name} with envFrom referencing` };
}
