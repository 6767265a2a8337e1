import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { MetricsRegistry } from '../../metrics/registry.ts';
import { readAdmissionConfiguration } from './admission-configuration.ts';
import { readDynamicConfiguration } from './dynamic-configuration.ts';
import { followManifests, ManifestMetrics } from './followed-manifests.ts';
import { readManifests } from './manifests.ts';

const folder = mkdtempSync(join(tmpdir(), 'admission-'));
after(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('readAdmissionConfiguration finds what is written in place, and what is in files', () => {
  write('security.yaml', 'kind: PodSecurityConfiguration\n');
  const file = write(
    'config.yaml',
    `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  path: security.yaml
- name: EventRateLimit
  configuration: { limits: [] }
`,
  );
  const configuration = readAdmissionConfiguration(file);
  assert.deepEqual(configuration.configurationFor('PodSecurity'), { kind: 'PodSecurityConfiguration' });
  assert.deepEqual(configuration.configurationFor('EventRateLimit'), { limits: [] });
  assert.equal(configuration.configurationFor('ResourceQuota'), undefined);
});

test('readAdmissionConfiguration takes the old form of two plugins, and refuses what it does not know', () => {
  const legacy = readAdmissionConfiguration(write('legacy.yaml', 'imagePolicy: { kubeConfigFile: x }\n'));
  assert.deepEqual(legacy.configurationFor('ImagePolicyWebhook'), { imagePolicy: { kubeConfigFile: 'x' } });
  const cases: [string, RegExp][] = [
    ['apiVersion: v1\nkind: Pod\n', /no kind "Pod" is registered for version "v1"/],
    ['apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nx: 1\n', /unknown field "x"/],
    ['{}', /Object 'Kind' is missing/],
  ];
  for (const [text, message] of cases)
    assert.throws(() => readAdmissionConfiguration(write('bad.yaml', text)), message);
  assert.throws(
    () => readAdmissionConfiguration(join(folder, 'none')),
    /unable to read admission control configuration/,
  );
});

test('readDynamicConfiguration wants absolute names, its own kind, and the gate', () => {
  const of = (more: object, gate = true) =>
    readDynamicConfiguration(
      'ValidatingAdmissionWebhook',
      { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', ...more },
      gate,
    );
  assert.equal(of({ staticManifestsDir: folder }).manifestsDirectory, folder);
  const cases: [object, boolean, RegExp][] = [
    [{ kubeConfigFile: 'x' }, true, /kubeConfigFile: Invalid value: "x": must be an absolute file path/],
    [{ staticManifestsDir: 'x' }, true, /must be an absolute file path/],
    [{ staticManifestsDir: join(folder, 'none') }, true, /must be a directory/],
    [{ staticManifestsDir: folder }, false, /requires the ManifestBasedAdmissionControlConfig feature gate/],
    [{ nope: 1 }, true, /unknown field "nope"/],
    [{ kind: 'Other' }, true, /expected WebhookAdmissionConfiguration/],
  ];
  for (const [more, gate, message] of cases) assert.throws(() => of(more, gate), message);
});

const policy = (name: string, more = '') => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: ${name} }
spec:
  matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods] }] }
  validations: [{ expression: 'true' }]
${more}`;
const binding = (policyName: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: b.static.k8s.io }
spec: { policyName: ${policyName}, validationActions: [Deny] }
`;
const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

test('readManifests reads, defaults and checks what a directory holds', () => {
  const directory = join(folder, 'manifests');
  mkdirSync(directory);
  const file = join(directory, 'a.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readManifests(directory, kinds);
  };
  const { objects, hash } = read(`${policy('p.static.k8s.io')}---\n${binding('p.static.k8s.io')}`);
  const [made] = objects.get('ValidatingAdmissionPolicy') ?? [];
  assert.equal((made as unknown as { spec: { failurePolicy: string } }).spec.failurePolicy, 'Fail');
  assert.match(hash, /^sha256:/);
  const cases: [string, RegExp][] = [
    [policy('p'), /must have a name ending with "\.static\.k8s\.io"/],
    [`${policy('p.static.k8s.io')}---\n${policy('p.static.k8s.io')}`, /duplicate name "p\.static\.k8s\.io"/],
    [
      policy('p.static.k8s.io', '  paramKind: { apiVersion: v1, kind: ConfigMap }\n'),
      /spec\.paramKind is not supported/,
    ],
    [binding('p.static.k8s.io'), /references policy "p\.static\.k8s\.io" which does not exist/],
    [binding('p'), /must end with "\.static\.k8s\.io"/],
    ['apiVersion: v1\nkind: Pod\nmetadata: { name: p.static.k8s.io }\n', /unsupported resource type/],
    [policy('p.static.k8s.io', '  nope: 1\n'), /unknown field "spec\.nope"/],
  ];
  for (const [text, message] of cases) assert.throws(() => read(text), message);
});

test('followManifests takes over what changes, and keeps what was where that cannot be read', async () => {
  const directory = join(folder, 'followed');
  mkdirSync(directory);
  const file = join(directory, 'a.yaml');
  writeFileSync(file, policy('one.static.k8s.io'));
  const clock = new FakeClock();
  const stop = new AbortController();
  const metrics = new ManifestMetrics(new MetricsRegistry());
  const options = { clock, log: silentLogger, metrics, signal: stop.signal };
  const names = followManifests('P', directory, kinds, ({ objects }) => [...objects.values()].flat(), options);
  const shown = () => names.current.map(({ metadata }) => metadata.name);
  assert.deepEqual(shown(), ['one.static.k8s.io']);
  writeFileSync(file, policy('two.static.k8s.io'));
  await clock.advance(60_000);
  assert.deepEqual(shown(), ['two.static.k8s.io']);
  writeFileSync(file, 'nonsense: [');
  await clock.advance(60_000);
  assert.deepEqual(shown(), ['two.static.k8s.io']);
  stop.abort();
});
