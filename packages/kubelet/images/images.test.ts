import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@kubernode/api/core/v1';
import { testMeta } from '../testing/objects.ts';
import { credentialsFor } from './credentials.ts';
import { imagesToRemove } from './image-gc.ts';
import { registryOf, withDefaultTag } from './image-name.ts';

const names: [string, string | RegExp, string][] = [
  ['busybox', 'busybox:latest', 'index.docker.io'],
  ['busybox:1.36', 'busybox:1.36', 'index.docker.io'],
  ['127.0.0.1:5000/a/b', '127.0.0.1:5000/a/b:latest', '127.0.0.1:5000'],
  [
    'registry.example.com/x@sha256:' + 'a'.repeat(64),
    'registry.example.com/x@sha256:' + 'a'.repeat(64),
    'registry.example.com',
  ],
  ['Bad Name', /invalid reference format/, 'index.docker.io'],
  ['a/UPPER', /invalid reference format/, 'index.docker.io'],
];
for (const [name, expected, registry] of names) {
  test(`withDefaultTag: ${name.slice(0, 40)}`, () => {
    if (typeof expected === 'string') assert.equal(withDefaultTag(name), expected);
    else assert.throws(() => withDefaultTag(name), expected);
    assert.equal(registryOf(name), registry);
  });
}

function pullSecret(auths: Record<string, unknown>): Secret {
  const json = Buffer.from(JSON.stringify({ auths })).toString('base64');
  return { metadata: testMeta(), type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': json } };
}

test('credentialsFor: the longest match is first, user and password come out of auth', () => {
  const auth = Buffer.from('me:secret:word').toString('base64');
  const secrets = [
    pullSecret({ 'https://reg.example.com/v2/': { username: 'all', password: 'x' } }),
    pullSecret({ 'reg.example.com/team': { auth }, 'other.example.com': { username: 'no' } }),
    { metadata: testMeta(), type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'broken' } },
  ];
  const found = credentialsFor('reg.example.com/team/app:1', secrets);
  assert.deepEqual(
    found.map(({ username, password }) => [username, password]),
    [
      ['me', 'secret:word'],
      ['all', 'x'],
    ],
  );
  assert.equal(credentialsFor('busybox', secrets).length, 0);
  assert.equal(
    credentialsFor('busybox', [pullSecret({ 'https://index.docker.io/v1/': { username: 'hub' } })]).length,
    1,
  );
});

test('imagesToRemove: unused ones, least recently used first, until enough is free', () => {
  const image = (id: string, pinned = false) => ({
    id,
    pinned,
    size: 10,
    repoTags: [],
    repoDigests: [],
    username: '',
  });
  const images = [image('used'), image('new'), image('old'), image('pinned', true)];
  const lastUsedMs = new Map([
    ['new', 2],
    ['old', 1],
  ]);
  const ids = (bytes: number) => imagesToRemove(images, new Set(['used']), lastUsedMs, bytes).map(({ id }) => id);
  assert.deepEqual(ids(5), ['old']);
  assert.deepEqual(ids(100), ['old', 'new']);
});
