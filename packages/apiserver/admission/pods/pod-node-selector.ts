import { StatusError } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import { labelValue, qualifiedName } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { created, unclassified } from '../refuse.ts';

type Labels = Readonly<Record<string, string>>;

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const clusterDefault = 'clusterDefaultNodeSelector';

/**
 * Reads `podNodeSelectorPluginConfig`: by namespace the labels that its pods may select nodes by, and under
 * `clusterDefaultNodeSelector` what holds where a namespace has no annotation. Throws for values that are no text;
 * selectors are judged when they are used.
 */
export function readPodNodeSelectors(value: unknown): Labels {
  const { podNodeSelectorPluginConfig: selectors } = (value ?? {}) as { podNodeSelectorPluginConfig?: object };
  for (const [name, selector] of Object.entries(selectors ?? {})) {
    if (typeof selector === 'string') continue;
    const path = `podNodeSelectorPluginConfig[${name}]`;
    throw new Error(`${path}: Invalid value: ${JSON.stringify(selector)}: must be a string`);
  }
  return (selectors ?? {}) as Labels;
}

/** Pods get the node selector of their namespace, and may not say otherwise. Off by default. */
export function podNodeSelector(state: ClusterState, selectors: Labels): AdmissionPlugin {
  const ofNamespace = ({ attributes: { namespace } }: AdmissionRequest): Labels => {
    const found = state.get('', 'namespaces', namespace);
    if (!found) throw StatusError.from(new Error(`namespace ${namespace} does not exist`));
    return labelsIn(found.metadata.annotations?.[annotation] ?? selectors[clusterDefault] ?? '');
  };
  const check = (pod: Pod, wanted: Labels): void => {
    const own = pod.spec.nodeSelector ?? {};
    if (Object.entries(own).some(([key, value]) => (wanted[key] ?? value) !== value))
      throw refused(pod, 'pod node label selector conflicts with its namespace node label selector');
  };
  const validate = (request: AdmissionRequest): void => {
    const pod = created<Pod>(request, 'pods');
    if (!pod) return;
    check(pod, ofNamespace(request));
    const allowed = labelsIn(selectors[request.attributes.namespace] ?? '');
    if (Object.keys(allowed).length === 0) return;
    if (Object.entries(pod.spec.nodeSelector ?? {}).some(([key, value]) => allowed[key] !== value))
      throw refused(pod, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (!pod) return;
      const wanted = ofNamespace(request);
      check(pod, wanted);
      if (Object.keys(wanted).length > 0) pod.spec.nodeSelector = { ...wanted, ...pod.spec.nodeSelector };
      validate(request);
    },
    validate,
  };
}

const refused = ({ metadata }: Pod, why: string): StatusError =>
  StatusError.forbidden({ group: '', plural: 'pods' }, metadata.name ?? '', why);

/** `a=b,c=d` (labels.ConvertSelectorToLabelsMap). Throws what the client is answered. */
function labelsIn(text: string): Labels {
  if (text === '') return {};
  const entries = text.split(',').map((part) => {
    const pair = part.split('=');
    if (pair.length !== 2) throw unclassified(`invalid selector: [${pair.join(' ')}]`);
    const [key, value] = pair.map((word) => word.trim()) as [string, string];
    const wrongKey = qualifiedName(key);
    if (wrongKey.length > 0) throw unclassified(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrongKey.join('; ')}`);
    const wrongValue = labelValue(value);
    if (wrongValue.length === 0) return [key, value];
    throw unclassified(`[${key}]: Invalid value: ${JSON.stringify(value)}: ${wrongValue.join('; ')}`);
  });
  return Object.fromEntries(entries) as Labels;
}
