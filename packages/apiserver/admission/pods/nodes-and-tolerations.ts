import type { Node, Pod, Toleration } from '@kubernode/api/core/v1';
import type { AdmissionPlugin } from '../../seams.ts';
import { created, isAbout } from '../refuse.ts';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

/** How long pods stay, in seconds, on nodes of the two kinds; five minutes where nothing is said. */
export interface TolerationSeconds {
  readonly notReady?: number | undefined;
  readonly unreachable?: number | undefined;
}

/** Pods stay for a while on a node that is lost, unless they say otherwise. */
export function defaultTolerationSeconds(seconds: TolerationSeconds = {}): AdmissionPlugin {
  const added = [
    [notReady, seconds.notReady ?? 300],
    [unreachable, seconds.unreachable ?? 300],
  ] as const;
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['pods'],
    mutate(request) {
      if (!isAbout(request, 'pods') || !['CREATE', 'UPDATE'].includes(request.operation)) return;
      const { spec } = request.object as Pod;
      const tolerations = spec.tolerations ?? [];
      for (const [key, tolerationSeconds] of added)
        if (!tolerations.some((toleration) => covers(toleration, key)))
          (spec.tolerations ??= []).push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });
    },
  };
}

const covers = ({ key, effect }: Toleration, taint: string): boolean =>
  (!key || key === taint) && (!effect || effect === 'NoExecute');

/** A new node gets no pods before its conditions were looked at. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  mutate(request) {
    const node = created<Node>(request, 'nodes');
    if (!node) return;
    const taints = ((node.spec ??= {}).taints ??= []);
    if (taints.some((taint) => taint.key === notReady && taint.effect === 'NoSchedule')) return;
    taints.push({ key: notReady, effect: 'NoSchedule' });
  },
};

/** Pods that ask for extended resources tolerate the taints of nodes that are set aside for them. Off by default. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  mutate(request) {
    if (!isAbout(request, 'pods') || !['CREATE', 'UPDATE'].includes(request.operation)) return;
    const { spec } = request.object as Pod;
    const resources = [...(spec.initContainers ?? []), ...spec.containers]
      .flatMap((container) => Object.keys(container.resources?.requests ?? {}))
      .filter((name) => name.includes('/') && !name.includes('kubernetes.io/'));
    for (const key of [...new Set(resources)].sort()) {
      const tolerations = (spec.tolerations ??= []);
      if (!tolerations.some((toleration) => toleration.key === key)) tolerations.push({ key, operator: 'Exists' });
    }
  },
};
