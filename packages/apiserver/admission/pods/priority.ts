import { StatusError, type IsEnabled, type KubernetesObject } from '@kubernode/api';
import type { Pod, PodSpec } from '@kubernode/api/core/v1';
import type { PriorityClass } from '@kubernode/api/scheduling/v1';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { created, isAbout, refuse } from '../refuse.ts';

const schedulingGroup = 'scheduling.k8s.io';
const systemClasses = new Set(['system-cluster-critical', 'system-node-critical']);

/** What has a priority, besides pods, and the gate that makes it so. */
const groups = {
  podgroups: { gate: 'GenericWorkload', title: 'pod group' },
  compositepodgroups: { gate: 'CompositePodGroup', title: 'composite pod group' },
} as const;

/** Turns the priority class of pods and their groups into numbers, and keeps rules that concern more than one class. */
export function priorityPlugin(state: ClusterState, isEnabled: IsEnabled): AdmissionPlugin {
  const setGroupPriority = (request: AdmissionRequest, resource: keyof typeof groups): boolean => {
    const group = created(request, resource, schedulingGroup) as Prioritized | undefined;
    const { gate, title } = groups[resource];
    if (group && isEnabled(gate)) setPriority(request, group.spec, state, title, isEnabled('PodGroupPreemptionPolicy'));
    return group !== undefined;
  };
  return {
    name: 'Priority',
    resources: ['pods', 'priorityclasses', 'podgroups', 'compositepodgroups'],
    validate(request) {
      const { name } = request.attributes;
      if (!isAbout(request, 'priorityclasses', schedulingGroup)) return;
      if (request.operation !== 'DELETE') checkClass(request, state);
      else if (systemClasses.has(name)) {
        const why = 'this is a system priority class and cannot be deleted';
        throw StatusError.forbidden({ group: schedulingGroup, plural: 'priorityclasses' }, name, why);
      }
    },
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (pod) setPriority(request, pod.spec, state, 'pod', true);
      else if (request.operation === 'UPDATE' && isAbout(request, 'pods')) keepPriority(request);
      else if (!setGroupPriority(request, 'podgroups')) setGroupPriority(request, 'compositepodgroups');
    },
  };
}

interface Prioritized extends KubernetesObject {
  readonly spec: Pick<PodSpec, 'priority' | 'priorityClassName' | 'preemptionPolicy'>;
}

function setPriority(
  request: AdmissionRequest,
  spec: Prioritized['spec'],
  state: ClusterState,
  title: string,
  hasPreemptionPolicy: boolean,
): void {
  let chosen: PriorityClass | undefined;
  if (spec.priorityClassName) {
    chosen = state.get(schedulingGroup, 'priorityclasses', spec.priorityClassName) as PriorityClass | undefined;
    if (!chosen) throw refuse(request, `no PriorityClass with name ${spec.priorityClassName} was found`);
  } else {
    chosen = defaultClass(state);
    if (chosen) spec.priorityClassName = chosen.metadata.name;
  }
  const priority = chosen?.value ?? 0;
  const preemptionPolicy = chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
  const computed = 'priority admission controller computed';
  if ((spec.priority ?? priority) !== priority) {
    if (title !== 'pod') {
      const given = `priority set in the ${title} (${spec.priority}) must match the priority computed (${priority})`;
      throw refuse(request, `${given} based on the priority class set in the spec`);
    }
    const given = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    throw refuse(request, `${given}; ${computed} ${priority} from the given PriorityClass name`);
  }
  spec.priority = priority;
  if (!hasPreemptionPolicy) return;
  if ((spec.preemptionPolicy ?? preemptionPolicy) !== preemptionPolicy) {
    const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in ${title} spec`;
    throw refuse(request, `${given}; ${computed} ${preemptionPolicy} from the given PriorityClass name`);
  }
  spec.preemptionPolicy = preemptionPolicy;
}

/** Clients of old do not know these fields, and would clear them. */
function keepPriority(request: AdmissionRequest): void {
  const { spec } = request.object as Pod;
  const old = (request.oldObject as Pod).spec;
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
}

/** Of several default classes (made while one was stale) the one with the lowest value. */
function defaultClass(state: ClusterState): PriorityClass | undefined {
  const classes = state.list(schedulingGroup, 'priorityclasses') as readonly PriorityClass[];
  return classes.filter((one) => one.globalDefault).sort((a, b) => a.value - b.value)[0];
}

function checkClass(request: AdmissionRequest, state: ClusterState): void {
  const changed = request.object as PriorityClass;
  if (!changed.globalDefault) return;
  const present = defaultClass(state);
  if (present && (request.operation === 'CREATE' || present.metadata.name !== changed.metadata.name)) {
    const why = `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`;
    throw refuse(request, why);
  }
}
