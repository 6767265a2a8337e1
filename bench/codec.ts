/** What reading and printing a body costs, in µs of the processor: `npm run bench -- codec`. */
import { decodeJson, encodeJsonText, restoreEmpty, shapeOf } from '@kubernode/api';
import { configMap, pod } from './lib/load.ts';

/** A pod as it is written while it runs: about 2 KB. */
function runningPod(): string {
  const written = JSON.parse(pod('bench')) as { spec: { containers: object[] } };
  const at = '2026-01-01T00:00:00Z';
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  const toleration = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
  const [image, imageID] = ['registry.example/app:1.0', `registry.example/app@sha256:${'a1'.repeat(32)}`];
  return JSON.stringify({
    ...written,
    spec: {
      ...written.spec,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      nodeName: 'node-1',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({ key: `node.kubernetes.io/${key}`, ...toleration })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: conditions.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: at })),
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      podIP: '10.244.0.12',
      podIPs: [{ ip: '10.244.0.12' }],
      startTime: at,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: at } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image,
          imageID,
        },
      ],
      qosClass: 'Burstable',
    },
  });
}

const bodies = [
  ['ConfigMap', 'core/v1.ConfigMap', configMap('bench')],
  ['Pod', 'core/v1.Pod', pod('bench')],
  ['running Pod', 'core/v1.Pod', runningPod()],
] as const;

console.table(
  bodies.map(([name, type, text]) => {
    const shape = shapeOf(type);
    const bytes = Buffer.from(text);
    const { object } = decodeJson(bytes, shape);
    const value: unknown = JSON.parse(text);
    return {
      body: name,
      bytes: bytes.length,
      'JSON.parse': microseconds(() => JSON.parse(text)),
      decode: microseconds(() => decodeJson(bytes, shape)),
      'decode, strict': microseconds(() => decodeJson(bytes, shape, { validation: 'Strict' })),
      encode: microseconds(() => encodeJsonText(object, shape)),
      'JSON.stringify': microseconds(() => JSON.stringify(object)),
      'restore empty': microseconds(() => restoreEmpty(value, shape)),
    };
  }),
);

/** Of one run: the best of five rounds, after one to warm up. */
function microseconds(run: () => unknown): string {
  const count = 4000;
  let best = Infinity;
  for (let round = 0; round < 6; round++) {
    const started = process.cpuUsage();
    for (let index = 0; index < count; index++) run();
    const { user, system } = process.cpuUsage(started);
    if (round > 0) best = Math.min(best, (user + system) / count);
  }
  return best.toFixed(1);
}
