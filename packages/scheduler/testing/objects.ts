import type { Node, Pod } from '@kubernode/api/core/v1';
import type { Draft } from '@kubernode/api';
import { NodeInfo } from '../node-info.ts';
import { PodInfo } from '../pod-info.ts';
import { createSnapshot, type Snapshot } from '../snapshot.ts';

/** A pod for a test: what is not said is as the API server's defaults. */
export function podOf(name: string, spec: Draft<Pod['spec']> = {}, labels: Record<string, string> = {}): PodInfo {
  const requests = { resources: { requests: { cpu: '1', memory: '1Gi' } } };
  return new PodInfo({
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '', labels },
    spec: { containers: [{ name: 'c', image: 'app:1', ...requests }], schedulerName: 'default-scheduler', ...spec },
    status: {},
  } as unknown as Pod);
}

export function nodeOf(
  name: string,
  extra: { spec?: Draft<Node['spec']>; labels?: Record<string, string>; cpu?: string } = {},
): NodeInfo {
  return new NodeInfo(
    {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...extra.labels } },
      spec: extra.spec ?? {},
      status: { allocatable: { cpu: extra.cpu ?? '4', memory: '16Gi', pods: '10' } },
    } as unknown as Node,
    [],
  );
}

export const snapshotOf = (...nodes: NodeInfo[]): Snapshot =>
  createSnapshot({ nodes, namespace: () => undefined, nominated: new Map() });
