import { join } from 'node:path';
import type { Pod } from '@kubernode/api/core/v1';
import { podQosClass } from '../pod-lifecycle/qos.ts';

/** The cgroup of each class of pods: guaranteed ones lie directly in the root. */
export function qosCgroup(cgroupRoot: string, qos: 'Guaranteed' | 'Burstable' | 'BestEffort'): string {
  const below = { Guaranteed: '', Burstable: 'burstable', BestEffort: 'besteffort' };
  return join('/', cgroupRoot, 'kubepods', below[qos]);
}

/** A pod's cgroup as cgroupfs names it: `/<root>/kubepods/burstable/pod<uid>`. */
export function podCgroup(cgroupRoot: string, pod: Pod): string {
  return join(qosCgroup(cgroupRoot, podQosClass(pod)), `pod${pod.metadata.uid}`);
}
