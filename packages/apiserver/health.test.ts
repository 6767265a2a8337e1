import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Health } from './health.ts';

function ask(health: Health, path: string): [number, string] {
  const [name = '', query = ''] = path.split('?');
  const answer = health.answer(name, new URLSearchParams(query));
  const content = answer?.content;
  return [answer?.code ?? 404, content?.type === 'bytes' ? String(content.bytes) : ''];
}

test('Health fails until every hook is done, and names those that are not', () => {
  const health = new Health(() => true);
  const roles = health.expect('rbac/bootstrap-roles');
  const [code, body] = ask(health, '/readyz');
  assert.equal(code, 500);
  assert.match(body, /^\[-\]poststarthook\/rbac\/bootstrap-roles failed: reason withheld$/m);
  assert.match(body, /\nreadyz check failed\n$/);
  assert.deepEqual(ask(health, '/readyz?exclude=poststarthook/rbac/bootstrap-roles'), [200, 'ok']);
  assert.equal(ask(health, '/livez/poststarthook/rbac/bootstrap-roles')[0], 500);
  roles.done();
  assert.deepEqual(ask(health, '/readyz'), [200, 'ok']);
});

test('Health asks only what an endpoint is about', () => {
  let isFollowing = true;
  const health = new Health(() => isFollowing);
  health.add({ name: 'shutdown', isHealthy: () => false, only: ['readyz'] });
  assert.deepEqual([ask(health, '/livez')[0], ask(health, '/readyz')[0]], [200, 500]);
  assert.equal(ask(health, '/readyz/loopback-serving-certificate')[0], 404);
  assert.equal(ask(health, '/healthz/loopback-serving-certificate')[0], 200);
  isFollowing = false;
  assert.equal(ask(health, '/healthz/etcd')[0], 500);
  assert.match(health.slis.text(), /kubernetes_healthchecks_total\{name="etcd",status="error",type="healthz"\} 1/);
});

test('Health: a server whose writes would be lost is alive, and not ready', () => {
  let isKept = false;
  const health = new Health(
    () => true,
    () => isKept,
  );
  assert.deepEqual([ask(health, '/livez')[0], ask(health, '/readyz')[0]], [200, 500]);
  assert.equal(ask(health, '/readyz/etcd-readiness')[0], 500);
  isKept = true;
  assert.deepEqual(ask(health, '/readyz'), [200, 'ok']);
});

test('Health warns of exclusions that match nothing', () => {
  const body = ask(new Health(() => true), '/readyz?verbose&exclude=b&exclude=a&exclude=etcd')[1];
  assert.match(body, /^\[\+\]etcd excluded: ok$/m);
  assert.match(body, /\nwarn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n$/);
});
