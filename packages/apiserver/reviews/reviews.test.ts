import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import type { TokenRequest, TokenReview } from '@kubernode/api/authentication/v1';
import type { SubjectAccessReview } from '@kubernode/api/authorization/v1';
import { startSecured } from '../secured-testing.ts';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';

test('tokenRequest gives a token that ends with what it is bound to', async () => {
  const { server, create, admin, clock } = await startSecured();
  await create(accounts, { metadata: { name: 'sa' } });
  await create('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
  const spec = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' }, expirationSeconds: 600 };
  const answer = await create<TokenRequest>(`${accounts}/sa/token`, { metadata: {}, spec });
  assert.deepEqual(answer.spec.audiences, ['https://kubernetes.default.svc']);
  const { token } = answer.status;
  const review = async () => (await create<TokenReview>(tokenReviews, { metadata: {}, spec: { token } })).status;
  const good = await review();
  assert.equal(good.authenticated, true);
  assert.equal(good.user.username, 'system:serviceaccount:default:sa');
  assert.deepEqual(good.user.groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:default',
    'system:authenticated',
  ]);
  assert.match(good.user.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^JTI=/);
  await admin.request({ method: 'DELETE', path: '/api/v1/namespaces/default/secrets/s' });
  assert.deepEqual(await review(), {
    user: {},
    error: '[invalid bearer token, service account token has been invalidated]',
  });
  const other = await create<TokenRequest>(`${accounts}/sa/token`, { metadata: {}, spec: { expirationSeconds: 600 } });
  await clock.advance(700_000);
  const late = await create<TokenReview>(tokenReviews, { metadata: {}, spec: { token: other.status.token } });
  assert.equal(late.status.error, '[invalid bearer token, service account token has expired]');
  await server.stop();
});

test('tokenRequest refuses what cannot be', async () => {
  const { server, create } = await startSecured();
  await create(accounts, { metadata: { name: 'sa' } });
  const cases: [string, object, string][] = [
    ['none', {}, 'serviceaccounts "none" not found'],
    [
      'sa',
      { expirationSeconds: 10 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    [
      'sa',
      { boundObjectRef: { kind: 'Service', apiVersion: 'v1', name: 'x' } },
      'cannot bind token to object of type /v1, Kind=Service',
    ],
    ['sa', { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'x' } }, 'pods "x" not found'],
  ];
  for (const [name, spec, message] of cases)
    await assert.rejects(create(`${accounts}/${name}/token`, { metadata: {}, spec }), (error) => {
      assert.equal((error as StatusError).message, message);
      return true;
    });
  await server.stop();
});

test('accessReviews answer for others, and for oneself', async () => {
  const { server, create } = await startSecured();
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default' };
  const ask = async (spec: object) => (await create<SubjectAccessReview>(path, { metadata: {}, spec })).status;
  assert.deepEqual(await ask({ user: 'alice', resourceAttributes }), { allowed: false });
  assert.deepEqual(await ask({ user: 'system:kube-scheduler', resourceAttributes }), {
    allowed: true,
    reason:
      'RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler" to User "system:kube-scheduler"',
  });
  await assert.rejects(ask({ resourceAttributes }), /at least one of user or group must be specified/);
  const own = await server.transport('alice').request<SubjectAccessReview>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { metadata: {}, spec: { nonResourceAttributes: { verb: 'get', path: '/version' } } },
  });
  assert.equal(own.status.allowed, true);
  await server.stop();
});
