import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitions } from './kinds/index.ts';
import { scheme } from './scheme.ts';

test('scheme finds a resource by its path and by its kind', () => {
  const byPath = scheme.byResource('apps', 'v1', 'deployments');
  assert.equal(byPath, scheme.byKind('apps/v1', 'Deployment'));
  assert.equal(byPath?.singular, 'deployment');
  assert.equal(byPath?.shape.name, 'apps/v1.Deployment');
  assert.deepEqual(byPath?.shortNames, ['deploy']);
  assert.equal(scheme.byResource('', 'v1', 'pods')?.kind.basePath, '/api/v1');
  assert.equal(scheme.byResource('apps', 'v1', 'pods'), undefined);
  assert.equal(scheme.byKind('v1', 'Deployment'), undefined);
});

test('scheme has every definition and a shape for every resource', () => {
  const used = new Set(scheme.resources.map(({ definition }) => definition.kind));
  const unused = definitions.filter(({ kind }) => !used.has(kind)).map(({ kind }) => kind.kind);
  assert.deepEqual(unused, []);
  for (const info of scheme.resources) {
    assert.ok(info.shape.fields.length > 0, info.plural);
    assert.equal(info.definition.kind.kind, info.kind.kind);
  }
});

test('scheme says since when a version is deprecated, and what replaces it', () => {
  const said = (version: string, plural: string) =>
    scheme.byResource('resource.k8s.io', version, plural)?.definition.deprecation;
  assert.equal(said('v1', 'resourceclaims'), undefined);
  const expected = 'resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+';
  assert.equal(said('v1beta1', 'resourceclaims'), expected);
});

test('scheme serves 72 resources by default', () => {
  assert.equal(scheme.resources.length, 100);
  assert.equal(scheme.resources.filter((info) => info.servedByDefault).length, 72);
});

test('scheme prefers one version of each group', () => {
  const preferred = new Map(scheme.groups.map(({ group, preferred: version }) => [group, version]));
  assert.equal(preferred.get('autoscaling'), 'v2');
  for (const group of scheme.groupsServedByDefault) assert.ok(group.versions.includes(group.preferred), group.group);
});
