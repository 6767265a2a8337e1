import { sliceAsV1, type IsEnabled } from '@kubernode/api';
import type { Node, NodeSelector, NodeSelectorTerm, Pod } from '@kubernode/api/core/v1';
import type { Device, ResourceSlice, ResourceSliceSpec } from '@kubernode/api/resource/v1';
import { compareQuantities, deepEqual, requirementsMatcher, type LabelOperator, table } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { isAbout, refuse } from '../refuse.ts';

/**
 * A pod that runs is changed only as its node says that it can (KEP-5328), and a device that gives a node's own
 * resources is only published for nodes that know of such.
 */
export function nodeDeclaredFeatureValidator(state: ClusterState, isEnabled: IsEnabled): AdmissionPlugin {
  const isOn = isEnabled('NodeDeclaredFeatures');
  const isForDevices = isOn && isEnabled(deviceFeature);
  return {
    name: 'NodeDeclaredFeatureValidator',
    resources: ['pods', 'resourceslices'],
    validate(request) {
      if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return;
      if (isForDevices && isAbout(request, 'resourceslices', 'resource.k8s.io')) checkSlice(request, state);
      if (!isOn || request.operation !== 'UPDATE') return;
      if (isAbout(request, 'pods') || isAbout(request, 'pods', '', 'resize')) checkPod(request, state);
    },
  };
}

type PodChange = (pod: Pod, old: Pod) => boolean;

/** What needs a node that declares it, sorted by name (component-helpers, nodedeclaredfeatures). */
const podFeatures: readonly (readonly [string, PodChange])[] = [
  [
    'InPlacePodLevelResourcesVerticalScaling',
    (pod, old) => !deepEqual(pod.spec.resources ?? {}, old.spec.resources ?? {}),
  ],
  ['InPlacePodVerticalScalingInitContainers', resizesInitContainer],
  ['InPlacePodVerticalScalingMemoryBackedVolumes', resizesMemoryVolume],
];

function resizesInitContainer(pod: Pod, old: Pod): boolean {
  return (old.spec.initContainers ?? []).some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== 'Always' && !deepEqual(resources ?? {}, pod.spec.initContainers?.[index]?.resources ?? {}),
  );
}

function resizesMemoryVolume(pod: Pod, old: Pod): boolean {
  const [after, before] = [pod.spec.volumes ?? [], old.spec.volumes ?? []];
  if (after.length !== before.length) return false;
  return after.some(({ name, emptyDir }, index) => {
    const was = before[index]!;
    const [limit, wasLimit] = [emptyDir?.sizeLimit, was.emptyDir?.sizeLimit];
    if (name !== was.name || emptyDir?.medium !== 'Memory' || limit === undefined || wasLimit === undefined)
      return false;
    return compareQuantities(limit, wasLimit) !== 0;
  });
}

function checkPod(request: AdmissionRequest, state: ClusterState): void {
  const [pod, old] = [request.object as Pod, request.oldObject as Pod];
  const { nodeName } = pod.spec;
  if (!nodeName || deepEqual(pod.spec, old.spec)) return;
  const needed = podFeatures.filter(([, isNeeded]) => isNeeded(pod, old)).map(([name]) => name);
  if (needed.length === 0) return;
  const node = state.get('', 'nodes', nodeName) as Node | undefined;
  const shown = JSON.stringify(nodeName);
  if (!node) throw refuse(request, `node ${shown} not found`);
  const lacking = needed.filter((name) => !declares(node, name));
  if (lacking.length === 0) return;
  const what = `pod update requires features ${lacking.join(', ')}`;
  throw refuse(request, `${what} which are not available on node ${shown}`);
}

const declares = ({ status }: Node, feature: string): boolean => status?.declaredFeatures?.includes(feature) ?? false;

const deviceFeature = 'DRANodeAllocatableResources';

function checkSlice(request: AdmissionRequest, state: ClusterState): void {
  const { spec } = sliceAsV1(request.object as unknown as ResourceSlice);
  for (const device of spec.devices ?? []) {
    if (Object.keys(device.nodeAllocatableResources ?? {}).length === 0) continue;
    for (const node of nodesOf(request, spec, device, state)) {
      if (!declares(node, deviceFeature))
        throw refuse(request, `node ${JSON.stringify(node.metadata.name)} does not support ${deviceFeature} feature`);
    }
  }
}

/** Those that the device, or its slice, is for. */
function nodesOf(request: AdmissionRequest, spec: ResourceSliceSpec, device: Device, state: ClusterState): Node[] {
  const { nodeName, nodeSelector, allNodes } = spec.perDeviceNodeSelection ? device : spec;
  if (nodeName) {
    const node = state.get('', 'nodes', nodeName) as Node | undefined;
    const [shown, name] = [nodeName, device.name].map((text) => JSON.stringify(text));
    if (!node) throw refuse(request, `node ${shown} not found for device ${name}`);
    return [node];
  }
  const nodes = () => state.list('', 'nodes') as readonly Node[] as Node[];
  if (nodeSelector) return nodes().filter((node) => isSelected(nodeSelector, node));
  if (allNodes) return nodes();
  const what = `device ${JSON.stringify(device.name)} in ResourceSlice has NodeAllocatableResources`;
  throw refuse(request, `${what} but does not map to any nodes`);
}

const operators: Readonly<Record<string, LabelOperator>> = table({
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
});

/** A term that asks for nothing selects no node. */
function isSelected({ nodeSelectorTerms }: NodeSelector, { metadata }: Node): boolean {
  return nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    const matcher = (requirements: typeof matchExpressions) =>
      requirementsMatcher(
        requirements.map(({ key, operator, values = [] }) => ({ key, operator: operators[operator]!, values })),
      );
    return (
      matcher(matchExpressions).matches(metadata.labels) &&
      matcher(matchFields).matches({ 'metadata.name': metadata.name })
    );
  });
}
