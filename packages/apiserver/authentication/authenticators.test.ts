import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { featureGates, type ApiRequest, type StatusError, type Transport } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { urlDestination } from '../outbound/destination.ts';
import { createPki } from '../pki/pki.ts';
import type { Credentials } from '../seams.ts';
import { composeAuthentication, type AuthenticationOptions } from './compose.ts';
import { authenticationWarning } from './service-account/legacy-tokens.ts';
import { signingKey, signJwt } from './service-account/jwt.ts';
import { startTestServer } from './test-servers.ts';
import { webhookTokens } from './webhook-tokens.ts';

const pki = createPki({ clock: new FakeClock() });
const base64 = (text: string) => Buffer.from(text).toString('base64');

function setUp(options: Partial<AuthenticationOptions> = {}) {
  const clock = new FakeClock();
  const state = new MemoryState();
  const sent: ApiRequest[] = [];
  const transport = { request: async (request: ApiRequest) => void sent.push(request) } as unknown as Transport;
  const { authentication } = composeAuthentication(
    {
      serviceAccountSigningKey: pki.serviceAccountKey,
      clock,
      transport: () => transport,
      isEnabled: featureGates(),
      ...options,
    },
    state,
  );
  const as = async (credentials: Credentials) => authentication.authenticate(credentials);
  const bearer = (token: string) => as({ headers: { authorization: `Bearer ${token}` } });
  const wrong = async (token: string) => {
    const error = (await bearer(token).then(
      () => assert.fail('is good'),
      (thrown: unknown) => thrown,
    )) as StatusError;
    assert.equal(error.code, 401);
    return (error.cause as Error).message;
  };
  return { clock, state, sent, as, bearer, wrong };
}

test('bootstrap tokens are good while their Secret says so', async () => {
  const { clock, state, bearer, wrong } = setUp({ bootstrapTokens: true });
  const put = (data: Record<string, string>, more: object = {}) =>
    state.put('', 'secrets', {
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, base64(value)])),
      ...more,
    });
  const good = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a',
    expiration: new Date(clock.now() + 60_000).toISOString(),
  };
  const token = 'abcdef.0123456789abcdef';
  put(good);
  const user = await bearer(token);
  assert.equal(user.name, 'system:bootstrap:abcdef');
  const groups = ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b', 'system:authenticated'];
  assert.deepEqual(user.groups, groups);
  assert.equal(await bearer(token), user);
  assert.equal(await wrong('abcdef.0123456789abcdeg'), 'invalid bearer token');
  for (const [data, more] of [
    [{ ...good, 'usage-bootstrap-authentication': 'false' }],
    [{ ...good, 'auth-extra-groups': 'system:masters' }],
    [{ ...good, 'token-id': 'other1' }],
    [{ ...good, expiration: 'soon' }],
    [good, { type: 'Opaque' }],
  ] as const) {
    put(data, more);
    assert.equal(await wrong(token), 'invalid bearer token');
  }
  put(good);
  await clock.advance(60_000);
  assert.equal(await wrong(token), 'invalid bearer token');
});

test('tokens of Secrets end with their Secret, and note the day of their use', async () => {
  const { state, sent, bearer, wrong, clock } = setUp();
  const prefix = 'kubernetes.io/serviceaccount/';
  const token = signJwt(
    {
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:a:sa',
      [`${prefix}namespace`]: 'a',
      [`${prefix}secret.name`]: 's',
      [`${prefix}service-account.name`]: 'sa',
      [`${prefix}service-account.uid`]: 'u1',
    },
    signingKey(pki.serviceAccountKey),
  );
  const secret = (labels: Record<string, string> = {}, text = token) =>
    state.put('', 'secrets', {
      metadata: { name: 's', namespace: 'a', uid: 'us', labels },
      data: { token: base64(text) },
    });
  const account = (more: object) =>
    state.put('', 'serviceaccounts', { metadata: { name: 'sa', namespace: 'a', uid: 'u1' }, ...more });
  assert.equal(await wrong(token), 'Token has been invalidated');
  secret();
  account({});
  const user = await bearer(token);
  assert.equal(user.name, 'system:serviceaccount:a:sa');
  assert.equal(authenticationWarning(user), undefined);
  await bearer(token);
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0]!.body, {
    metadata: { uid: 'us', labels: { 'kubernetes.io/legacy-token-last-used': '2026-01-01' } },
  });
  await clock.advance(24 * 3600 * 1000);
  await bearer(token);
  assert.equal(sent.length, 2);
  account({ secrets: [{ name: 's' }] });
  assert.match(authenticationWarning(await bearer(token)) ?? '', /Use tokens from the TokenRequest API/);
  secret({ 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' });
  assert.match(await wrong(token), /the token in secret a\/s for service account a\/sa has been marked invalid/);
  secret({}, 'another');
  assert.equal(await wrong(token), "Token does not match server's copy");
});

test('front proxies say who asks, and nobody else does', async () => {
  const { as } = setUp({
    clientCa: pki.clusterCa.certificate,
    requestHeader: {
      clientCa: pki.frontProxyCa.certificate,
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    },
  });
  const der = (pem: string) => new X509Certificate(pem).raw;
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-uid': '7',
    'x-remote-group': 'a, b',
    'x-remote-extra-acme.com%2fscope': 'x',
  };
  const rawHeaders = ['X-Remote-User', 'jane', 'X-Remote-Uid', '7', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b,c'];
  rawHeaders.push('X-Remote-Extra-Acme.com%2fScope', 'x');
  const proxy = { headers, rawHeaders, clientCertificate: der(pki.client('front-proxy-client').certificate) };
  const jane = await as(proxy);
  assert.deepEqual(jane, {
    name: 'jane',
    uid: '7',
    groups: ['a', 'b,c', 'system:authenticated'],
    extra: { 'acme.com/scope': ['x'] },
  });
  assert.equal(await as(proxy), jane);
  // A user's own certificate is good, but does not speak for others.
  const admin = await as({ ...proxy, clientCertificate: der(pki.client('admin').certificate) });
  assert.equal(admin.name, 'kubernetes-admin');
  // A proxy that says nothing of a user has no name of its own: its authority is not one of users.
  await assert.rejects(as({ headers: {}, clientCertificate: proxy.clientCertificate }), /Unauthorized/);
});

test('front proxies must be named where their authority is that of users', () => {
  const clientCa = pki.clusterCa.certificate;
  const headers = { usernameHeaders: ['X-Remote-User'], uidHeaders: [], groupHeaders: [], extraHeaderPrefixes: [] };
  const requestHeader = { clientCa, allowedNames: [], ...headers };
  assert.throws(() => setUp({ clientCa, requestHeader }), /contain overlapping certificates/);
  assert.doesNotThrow(() => setUp({ clientCa, requestHeader: { ...requestHeader, allowedNames: ['proxy'] } }));
});

test('anonymous access can be limited to paths', async () => {
  const { as } = setUp({ anonymous: ['/healthz'] });
  assert.equal((await as({ headers: {}, path: '/healthz' })).name, 'system:anonymous');
  await assert.rejects(as({ headers: {}, path: '/api' }), /Unauthorized/);
});

test('webhookTokens asks once, and remembers', async () => {
  const clock = new FakeClock();
  const reviews: { spec: { token: string; audiences: string[] } }[] = [];
  const server = await startTestServer((_, body) => {
    const review = body as (typeof reviews)[number];
    reviews.push(review);
    if (review.spec.token === 'broken') return { json: { status: { error: 'no such luck' } } };
    const user = { username: 'jane', groups: ['dev'], extra: { scope: ['x'] } };
    return { json: { status: { authenticated: review.spec.token === 'good', user } } };
  });
  const tokens = webhookTokens({
    destination: urlDestination(`${server.url}/authn`, { ca: server.ca }),
    outbound: server.outbound,
    clock,
    version: 'v1',
    cacheMs: 1000,
    apiAudiences: ['api'],
  });
  const both = await Promise.all([tokens.identify('good', ['api']), tokens.identify('good', ['api'])]);
  assert.equal(both[0], both[1]);
  assert.deepEqual(both[0]?.user.groups, ['dev', 'system:authenticated']);
  assert.equal(tokens.identify('good', ['api']), both[0]);
  assert.equal(reviews.length, 1);
  assert.deepEqual(reviews[0]!.spec, { token: 'good', audiences: ['api'] });
  await clock.advance(1000);
  await tokens.identify('good', ['api']);
  assert.equal(await tokens.identify('unknown', ['api']), undefined);
  await assert.rejects(async () => tokens.identify('broken', ['api']), /no such luck/);
  assert.equal(reviews.length, 4);
  await server.stop();
});
