import { isReason } from '@kubernode/api';
import { ConfigMap, Namespace } from '@kubernode/api/core/v1';
import { controller, mapped, runController } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';

const name = 'root-ca-cert-publisher';
const configMapName = 'kube-root-ca.crt';
const key = 'ca.crt';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal ' +
  'service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Keeps the cluster's certificate authority in ConfigMap `kube-root-ca.crt` of each namespace, for pods to trust. */
export const rootCaPublisher: BuiltInController = {
  name,
  serviceAccount: 'root-ca-cert-publisher',
  start(context) {
    const { rootCa } = context;
    if (rootCa === undefined) return { name, stop: async () => {} };
    return runController(declaration(rootCa), context);
  },
};

function declaration(rootCa: string) {
  return controller({
    name,
    reconciles: Namespace,
    watches: [mapped(ConfigMap, ({ metadata }) => (metadata.name === configMapName ? [metadata.namespace ?? ''] : []))],
    writes: [ConfigMap],
    async reconcile({ metadata, status }, { client, informer }) {
      if (status.phase === 'Terminating' || metadata.deletionTimestamp) return;
      const present = informer(ConfigMap).get(configMapName, metadata.name);
      if (present?.data?.[key] === rootCa && Object.keys(present.data).length === 1) return;
      const annotations = { 'kubernetes.io/description': description };
      const data = { [key]: rootCa };
      if (present) {
        const merged = { ...present.metadata, annotations: { ...present.metadata.annotations, ...annotations } };
        await client.update(ConfigMap, { ...present, metadata: merged, data });
        return;
      }
      const fresh = { metadata: { name: configMapName, namespace: metadata.name, annotations }, data };
      await client.create(ConfigMap, fresh).catch((error: unknown) => {
        if (!isReason(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
      });
    },
  });
}
