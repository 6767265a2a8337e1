import type { Draft, KubernetesObject } from '@kubernode/api';
import type { Node, Pod, Service } from '@kubernode/api/core/v1';

/** For tests: objects with little said of them, as the server would complete what the controllers look at. */
export function testPod(name: string, more: Draft<Pod> = {}): Pod {
  const { metadata, spec, status } = more;
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...metadata },
    spec: { containers: [{ name: 'c', image: 'example.com/app:1' }], ...spec },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  } as Pod;
}

export function testNode(name: string, more: Draft<Node> = {}): Node {
  const { metadata, spec, status } = more;
  return {
    metadata: { name, uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { ...spec },
    status: { conditions: [{ type: 'Ready', status: 'True' }], ...status },
  } as Node;
}

export function testService(name: string, spec: Draft<Service>['spec'] = {}): Service {
  const metadata = { name, namespace: 'default', uid: `uid-${name}` };
  const defaults = { clusterIP: '10.96.0.9', ipFamilies: ['IPv4'], selector: { app: 'web' } };
  return { metadata, spec: { ...defaults, ...spec }, status: {} } as Service;
}

export function testObject<T extends KubernetesObject>(object: Draft<T>): T {
  return object as unknown as T;
}
