import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import type { Namespace, Pod } from '@kubernode/api/core/v1';
import { MemoryState } from '../../memory-state.ts';
import type { AdmissionRequest } from '../../seams.ts';
import { readPodSecurityConfiguration } from './configuration.ts';
import { podSecurity } from './plugin.ts';

const prefix = 'pod-security.kubernetes.io/';
const template = { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }] } };
const notAllowed = 'host namespaces (hostNetwork=true)';

const namespace = (name: string, labels: Record<string, string> = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value])) },
  }) as unknown as Namespace;

const hostPod = (name: string) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'n' },
    spec: { ...template.spec, hostNetwork: true },
  }) as unknown as Pod;

interface Asked {
  readonly group?: string;
  readonly resource: string;
  readonly object: object;
  readonly old?: object;
  readonly user?: string;
  readonly subresource?: string;
}

/** What becomes of a request: its refusal, warnings and audit annotations. */
function ask(state: MemoryState, { group = '', resource, object, old, user = 'u', subresource = '' }: Asked) {
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const { name } = (object as Pod).metadata;
  const request = {
    attributes: { group, resource, subresource, name, namespace: resource === 'namespaces' && !old ? '' : 'n' },
    operation: old ? 'UPDATE' : 'CREATE',
    user: { name: user, groups: [] },
    object,
    oldObject: old,
    warn: (text: string) => warnings.push(text),
    annotate: (key: string, value: string) => {
      annotations[key.slice(prefix.length)] = value;
    },
  } as unknown as AdmissionRequest;
  const plugin = podSecurity(state, configuration);
  try {
    return { causes: plugin.validate!(request) as unknown, warnings, annotations };
  } catch (error) {
    return { refused: (error as StatusError).message, warnings, annotations };
  }
}

const configuration = readPodSecurityConfiguration({
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  exemptions: { usernames: ['root'], runtimeClasses: ['vm'], namespaces: ['free'] },
});

test('podSecurity refuses pods, and warns of templates', () => {
  const state = new MemoryState();
  state.put('', 'namespaces', namespace('n', { enforce: 'baseline' }));
  const pod = ask(state, { resource: 'pods', object: hostPod('p') });
  assert.equal(pod.refused, `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${notAllowed}`);
  assert.deepEqual(pod.annotations, { 'enforce-policy': 'baseline:latest' });
  const deployment = { metadata: { name: 'd' }, spec: { template: { spec: hostPod('p').spec } } };
  const made = ask(state, { group: 'apps', resource: 'deployments', object: deployment });
  assert.deepEqual(made.warnings, [`would violate PodSecurity "baseline:latest": ${notAllowed}`]);
  assert.equal(made.refused, undefined);
});

test('podSecurity leaves alone what is exempt, and changes that are not of its concern', () => {
  const state = new MemoryState();
  state.put('', 'namespaces', namespace('n', { enforce: 'baseline', 'enforce-version': 'v1.30' }));
  const asked: [Partial<Asked>, object][] = [
    [{ user: 'root' }, { exempt: 'user' }],
    [
      { object: { ...hostPod('p'), spec: { ...hostPod('p').spec, runtimeClassName: 'vm' } } },
      { exempt: 'runtimeClass' },
    ],
    [{ old: hostPod('p') }, {}],
    [{ subresource: 'status', old: { ...hostPod('p'), spec: template.spec } }, {}],
  ];
  for (const [changes, annotations] of asked) {
    const answer = ask(state, { resource: 'pods', object: hostPod('p'), ...changes });
    assert.deepEqual(answer, { causes: undefined, warnings: [], annotations });
  }
});

test('podSecurity refuses wrong labels, and warns of pods that are there', () => {
  const state = new MemoryState();
  for (const name of ['b', 'a']) state.put('', 'pods', hostPod(name));
  const object = namespace('n', { enforce: 'strict', 'warn-version': '1.30' });
  assert.deepEqual(ask(state, { resource: 'namespaces', object }).causes, [
    {
      reason: 'FieldValueInvalid',
      field: `metadata.labels[${prefix}enforce]`,
      message: 'Invalid value: "strict": must be one of privileged, baseline, restricted',
    },
    {
      reason: 'FieldValueInvalid',
      field: `metadata.labels[${prefix}warn-version]`,
      message: 'Invalid value: "1.30": must be "latest" or "v1.x"',
    },
  ]);
  const stricter = ask(state, {
    resource: 'namespaces',
    object: namespace('n', { enforce: 'baseline' }),
    old: namespace('n'),
  });
  assert.deepEqual(stricter.warnings, [
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
  ]);
});

test('readPodSecurityConfiguration names every field that is wrong', () => {
  const wrong = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'x', 'warn-version': '1' },
    exemptions: { namespaces: ['a', 'a'], usernames: [''] },
  };
  assert.throws(() => readPodSecurityConfiguration(wrong), {
    message:
      '[defaults.enforce: Invalid value: "x": must be one of privileged, baseline, restricted, ' +
      'defaults.warn-version: Invalid value: "1": must be "latest" or "v1.x", ' +
      'exemptions.namespaces[1]: Duplicate value: "a", exemptions.usernames[0]: Invalid value: "": username must not be empty]',
  });
  assert.throws(() => readPodSecurityConfiguration({ ...wrong, exemptions: { users: [] } }), {
    message: 'strict decoding error: unknown field "exemptions.users"',
  });
});
