/**
 * A body may have a hundred thousand items in a list, and one thread serves everybody: what judges them looks at each a
 * few times, never at all of them for each. Counted are the properties that are read, of four times as many items about
 * four times as many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../kinds/core/pod.ts';
import { service } from '../kinds/core/service.ts';
import { storageClass } from '../kinds/storage/storage-class.ts';
import type { Pod, Service } from '../generated/types/core/v1.ts';
import type { ObjectMeta } from '../generated/types/meta/v1.ts';
import type { StorageClass } from '../generated/types/storage/v1.ts';
import { validateMetadataUpdate } from './metadata.ts';

/** The value, telling of each property of it, or of what is in it, that is read. */
function watched<T extends object>(value: T, onRead: () => void): T {
  return new Proxy(value, {
    get(target, key) {
      onRead();
      const found: unknown = Reflect.get(target, key);
      return typeof found === 'object' && found !== null ? watched(found, onRead) : found;
    },
  });
}

const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const podWith = (spec: object, annotations = {}) => ({ metadata: { name: 'a', annotations }, spec, status: {} });
const containerWith = (more: object) => podWith({ containers: [{ name: 'a', image: 'b', ...more }] });
const env = (index: number) => ({
  name: `e${index}`,
  valueFrom: { fileKeyRef: { volumeName: `v${index}`, key: 'a', path: 'b' } },
});
const appArmor = (count: number) =>
  Object.fromEntries(
    list(count, (index) => [`container.apparmor.security.beta.kubernetes.io/c${index}`, 'runtime/default']),
  );
const named = (index: number) => ({ name: `c${index}`, image: 'a' });

type Judge = (object: Pod, old: Pod) => unknown;
const { validate, warnings, validateUpdate, subresources } = pod;
const resize: Judge = (object, old) => subresources?.['resize']?.prepare(object, old);

const pods: readonly (readonly [name: string, judge: Judge | undefined, object: (count: number) => object])[] = [
  [
    'mounts and devices',
    validate,
    (count) =>
      containerWith({
        volumeMounts: list(count, (index) => ({ name: `m${index}`, mountPath: `/m${index}` })),
        volumeDevices: list(count, (index) => ({ name: `d${index}`, devicePath: `/d${index}` })),
      }),
  ],
  [
    'variables of files in volumes',
    validate,
    (count) =>
      podWith({
        volumes: list(count, (index) => ({ name: `v${index}`, emptyDir: {} })),
        containers: [{ name: 'a', image: 'b', env: list(count, env) }],
      }),
  ],
  [
    'keys of labels that match and do not',
    validate,
    (count) => {
      const keys = { matchLabelKeys: list(count, (i) => `a${i}`), mismatchLabelKeys: list(count, (i) => `b${i}`) };
      const term = { topologyKey: 'a', labelSelector: {}, ...keys };
      return podWith({
        containers: [named(0)],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      });
    },
  ],
  ['annotations of containers', validate, (count) => podWith({ containers: list(count, named) }, appArmor(count))],
  ['containers that are resized', resize, (count) => podWith({ containers: list(count, named) })],
  [
    'tolerations',
    validateUpdate,
    (count) =>
      podWith({ containers: [], tolerations: list(count, (index) => ({ key: `k${index}`, operator: 'Exists' })) }),
  ],
];

const [few, many] = [400, 1_600];

function assertLinear(read: (count: number, onRead: () => void) => void): void {
  const readsOf = (count: number) => {
    let reads = 0;
    read(count, () => (reads += 1));
    return reads;
  };
  const [ofFew, ofMany] = [readsOf(few), readsOf(many)];
  assert.ok(ofFew > few, `only ${ofFew} properties were read`);
  assert.ok(ofMany < ofFew * 5, `${ofFew} properties of ${few} items were read, ${ofMany} of ${many}`);
}

for (const [name, judge, object] of pods) {
  test(`pod: ${name} are looked at a few times each`, () =>
    assertLinear((count, onRead) => {
      const made = watched(object(count) as Pod, onRead);
      judge!(made, made);
    }));
}

test('validateMetadataUpdate looks at each finalizer of what is being deleted a few times', () =>
  assertLinear((count, onRead) => {
    const finalizers = list(count, (index) => `a/${index}`);
    const old = { name: 'a', deletionTimestamp: 'now', finalizers } as ObjectMeta;
    const added = { ...old, finalizers: list(count, (index) => `b/${index}`) };
    validateMetadataUpdate(watched(added, onRead), watched(old, onRead));
  }));

test('service: addresses that it had before are looked at a few times each', () =>
  assertLinear((count, onRead) => {
    const spec = { ports: [], externalIPs: list(count, (index) => `1.2.${index >> 8}.${index & 255}`) };
    const made = watched({ metadata: { name: 'a' }, spec, status: {} } as unknown as Service, onRead);
    service.validateUpdate!(made, made);
  }));

test('storageClass: keys and values of topologies are looked at a few times each', () =>
  assertLinear((count, onRead) => {
    const expression = (key: string) => ({ key, values: list(10, (index) => `v${index}`) });
    const wide = { key: 'wide', values: list(count, (index) => `v${index}`) };
    const terms = [{ matchLabelExpressions: [wide, ...list(count, (index) => expression(`k${index}`))] }];
    const made = { metadata: { name: 'a' }, provisioner: 'a', allowedTopologies: terms };
    storageClass.validate!(watched(made as unknown as StorageClass, onRead));
  }));

test('pod: so many ports of one number are compared that nobody is sent the rest', () => {
  const ports = list(20_000, () => ({ containerPort: 80, protocol: 'TCP' }));
  const found = warnings!(containerWith({ ports }) as Pod, undefined);
  assert.ok(found.length > 1_000 && found.length <= 20_000, `${found.length}`);
});
