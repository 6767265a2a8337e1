import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusError, User } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { MetricsRegistry } from '../../metrics/registry.ts';
import type { Attributes, Credentials } from '../../seams.ts';
import { createImpersonator, impersonationConstraintOf } from './impersonator.ts';

const clock = new FakeClock();
const request: Attributes = {
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: '',
  path: '',
};

/** Allows the checks that are written `verb resource/subresource name`. */
function impersonator(allowed: readonly string[], more: { isConstrained?: boolean; metrics?: MetricsRegistry } = {}) {
  const asked: string[] = [];
  const impersonate = createImpersonator({
    clock,
    authorize(_, { verb, resource, subresource, name }) {
      const check = `${verb} ${subresource ? `${resource}/${subresource}` : resource} ${name}`.trim();
      asked.push(check);
      return allowed.includes(check) ? { allowed: true } : { allowed: false, reason: '' };
    },
    ...more,
  });
  const as = async (headers: Credentials['headers'], user: User = { name: 'me', groups: [] }) =>
    impersonate(user, { headers }, request);
  return { as, asked };
}

const refusal = (message: string | RegExp) => (error: unknown) => {
  const { message: text } = error as StatusError;
  if (typeof message === 'string') assert.equal(text, message);
  else assert.match(text, message);
  return true;
};

test('createImpersonator takes the narrowest mode that is allowed', async () => {
  const user = ['impersonate-on:user-info:list pods', 'impersonate:user-info users bob'];
  const { as } = impersonator(user);
  const bob = await as({ 'impersonate-user': 'bob' });
  assert.deepEqual(bob, { name: 'bob', groups: ['system:authenticated'] });
  assert.equal(impersonationConstraintOf(bob), 'impersonate:user-info');
  assert.equal(await as({ 'impersonate-user': 'bob' }), bob);
  const legacy = await impersonator(['impersonate users bob']).as({ 'impersonate-user': 'bob' });
  assert.equal(impersonationConstraintOf(legacy), '');
});

test('createImpersonator lets a service account be its own node', async () => {
  const account: User = {
    name: 'system:serviceaccount:a:agent',
    groups: [],
    extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
  };
  const { as } = impersonator(['impersonate-on:associated-node:list pods', 'impersonate:associated-node nodes *']);
  const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
  assert.deepEqual(await as({ 'impersonate-user': 'system:node:n1' }, account), node);
  await assert.rejects(as({ 'impersonate-user': 'system:node:n2' }, account), /impersonate-on:arbitrary-node:list/);
});

test('createImpersonator does not split values at commas', async () => {
  const { as, asked } = impersonator([], { isConstrained: false });
  await assert.rejects(as({ 'impersonate-user': 'a,b' }), /cannot impersonate/);
  assert.deepEqual(asked, ['impersonate users a,b']);
});

test('createImpersonator refuses what constrained modes never give, and says so first', async () => {
  const on = ['impersonate-on:user-info:list pods', 'impersonate:user-info users bob'];
  const { as } = impersonator(on);
  for (const [headers, message] of [
    [{ 'impersonate-group': ['system:masters'] }, /impersonating the system:masters group is not allowed/],
    [{ 'impersonate-group': [''] }, /impersonating the empty string group is not allowed/],
    [{ 'impersonate-extra-scopes': ['x'] }, /invalid key in extra is not allowed: extra.key: Invalid value: "scopes"/],
    [{ 'impersonate-extra-a.b%2fc': [''] }, /the empty string value in extra is not allowed/],
  ] as const)
    await assert.rejects(as({ 'impersonate-user': 'bob', ...headers }), refusal(message));
});

test('createImpersonator asks once for many groups', async () => {
  const on = [
    'impersonate-on:user-info:list pods',
    'impersonate:user-info users bob',
    'impersonate:user-info groups *',
  ];
  const { as, asked } = impersonator(on);
  const groups = ['a', 'b', 'c', 'd'];
  const bob = await as({ 'impersonate-user': 'bob', 'impersonate-group': groups });
  assert.deepEqual(bob.groups, [...groups, 'system:authenticated']);
  assert.equal(asked.length, 3);
});

test('createImpersonator words a wish without a user as upstream', async () => {
  const headers = { 'impersonate-group': ['dev'], 'impersonate-uid': 'u', 'impersonate-extra-a.b%2fc': ['x', 'y'] };
  const constrained =
    'requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string{"dev"}, ' +
    'Extra:map[string][]string{"a.b/c":[]string{"x", "y"}}} without impersonating a user name';
  const legacy =
    'requested [{Group  dev    } {UserExtra  x  authentication.k8s.io/v1  a.b/c} ' +
    '{UserExtra  y  authentication.k8s.io/v1  a.b/c} {UID  u  authentication.k8s.io/v1  }] without impersonating a user';
  await assert.rejects(impersonator([]).as(headers), refusal(constrained));
  await assert.rejects(impersonator([], { isConstrained: false }).as(headers), refusal(legacy));
});

test('createImpersonator counts attempts and checks', async () => {
  const metrics = new MetricsRegistry();
  const { as } = impersonator(['impersonate users bob'], { metrics });
  await as({ 'impersonate-user': 'bob' });
  const text = metrics.text();
  assert.match(text, /apiserver_impersonation_attempts_total\{decision="allowed",mode="legacy"\} 1/);
  assert.match(text, /authorization_attempts_total\{decision="denied",mode="user-info"\} 1/);
});
