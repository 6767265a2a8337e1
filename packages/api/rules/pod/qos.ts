import { compareQuantities } from '@kubernode/machinery';
import type { Pod, ResourceRequirements } from '../../generated/types/core/v1.ts';

type Class = 'Guaranteed' | 'Burstable' | 'BestEffort';
const counted = ['cpu', 'memory'];

/** Guaranteed: every container has limits of cpu and memory, all requested. BestEffort: none asks for anything. */
export function qosClass({ spec }: Pick<Pod, 'spec'>): Class {
  if (isSet(spec.resources)) return classOf(spec.resources ?? {});
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return common(containers.map(({ resources }) => classOf(resources ?? {})));
}

/** Whether the pod as a whole asks for something that pods can ask for. */
const isSet = ({ requests, limits }: ResourceRequirements = {}) =>
  Object.keys({ ...requests, ...limits }).some((name) => counted.includes(name) || name.startsWith('hugepages-'));

/** What all are, and Burstable where they differ. */
function common(classes: readonly Class[]): Class {
  const [first = 'BestEffort'] = classes;
  return classes.every((one) => one === first) ? first : 'Burstable';
}

function classOf({ requests = {}, limits = {} }: ResourceRequirements): Class {
  return common(
    counted.map((name): Class => {
      const request = requests[name] ?? '0';
      if (compareQuantities(request, limits[name] ?? '0') !== 0) return 'Burstable';
      return compareQuantities(request, '0') === 0 ? 'BestEffort' : 'Guaranteed';
    }),
  );
}
