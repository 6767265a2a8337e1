import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReference, parseReference } from './reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test('parseReference fills in what the convention leaves out', () => {
  const cases: Record<string, string> = {
    busybox: 'docker.io/library/busybox:latest',
    'busybox:1.36': 'docker.io/library/busybox:1.36',
    'user/app': 'docker.io/user/app:latest',
    'docker.io/nginx': 'docker.io/library/nginx:latest',
    'index.docker.io/nginx': 'docker.io/library/nginx:latest',
    'localhost/app': 'localhost/app:latest',
    'localhost:5000/a/b:v1': 'localhost:5000/a/b:v1',
    'registry.k8s.io/pause:3.9': 'registry.k8s.io/pause:3.9',
    '[::1]:5000/app': '[::1]:5000/app:latest',
    [`app@${digest}`]: `docker.io/library/app@${digest}`,
    [`app:v1@${digest}`]: `docker.io/library/app@${digest}`,
    'kubernode.local/demo:1': 'kubernode.local/demo:1',
  };
  for (const [text, full] of Object.entries(cases)) assert.equal(formatReference(parseReference(text)), full, text);
});

test('parseReference refuses what the grammar does not allow', () => {
  for (const text of [
    '',
    'a b',
    'Upper',
    'a:',
    'a@sha256:12',
    'a//b',
    '-a',
    'a:b:c',
    `a@${digest}@x`,
    'x/'.repeat(140),
  ]) {
    assert.throws(() => parseReference(text), /invalid reference format/, text);
  }
  assert.throws(() => parseReference('docker.io/Foo'), /repository name \(library\/Foo\) must be lowercase/);
});
