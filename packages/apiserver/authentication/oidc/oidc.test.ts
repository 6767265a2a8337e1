import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { featureGates } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { signingKey, signJwt, verificationKey } from '../service-account/jwt.ts';
import { startTestServer, until, type TestServer } from '../test-servers.ts';
import { readAuthenticationConfiguration } from './configuration.ts';
import { jwtIssuer } from './jwt-authenticator.ts';
import { signingAlgorithms } from './signatures.ts';
import { validateAuthenticationConfiguration } from './validate.ts';

const clock = new FakeClock(Date.parse('2026-01-01T00:00:00Z'));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const key = signingKey(pem);
const stranger = signingKey(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
);
const end = new AbortController();
let issuer: TestServer;

before(async () => {
  const { key: publicKey, keyId } = verificationKey(pem);
  issuer = await startTestServer((path) => {
    if (path === '/elsewhere') return { json: { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` } };
    if (path === '/keys')
      return { json: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig' }] } };
    return undefined;
  });
});
after(async () => {
  end.abort();
  await issuer.stop();
});

const options = { disallowedIssuers: ['https://ours'], isEnabled: featureGates() };

const indented = (text: string) => text.replaceAll('\n', '\n        ');

function configurationText(mappings: string): string {
  return `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer:
      url: ${issuer.url}
      discoveryURL: ${issuer.url}/elsewhere
      audiences: [a, b]
      audienceMatchPolicy: MatchAny
      certificateAuthority: |
        ${indented(issuer.ca)}
${mappings}`;
}

const expressions = `
    claimValidationRules:
      - claim: hd
        requiredValue: example.com
      - expression: 'claims.exp - claims.iat <= 86400.0'
        message: lives too long
    claimMappings:
      username: { expression: '"ext:" + claims.sub' }
      groups: { expression: 'claims.roles' }
      uid: { claim: oid }
      extra:
        - { key: example.com/tenant, valueExpression: 'claims.tenant' }
    userValidationRules:
      - { expression: "!user.username.startsWith('ext:root')", message: root is not welcome }`;

async function started(mappings: string) {
  const [compiled] = validateAuthenticationConfiguration(
    readAuthenticationConfiguration(configurationText(mappings)),
    options,
  );
  const authenticator = jwtIssuer(compiled!, {
    outbound: issuer.outbound,
    clock,
    signal: end.signal,
    algorithms: signingAlgorithms,
  });
  await until(() => authenticator.problem() === undefined);
  return authenticator;
}

const claims = (more: object = {}) => {
  const now = clock.now() / 1000;
  const own = { hd: 'example.com', sub: 'jane', oid: 'u1', roles: ['dev', ''], tenant: 't', jti: 'id' };
  return { iss: issuer.url, aud: 'a', iat: now, exp: now + 3600, ...own, ...more };
};

test('jwtIssuer maps claims by expressions', async () => {
  const authenticator = await started(expressions);
  const found = await authenticator.identify(signJwt(claims(), key), ['api']);
  assert.deepEqual(found?.user, {
    name: 'ext:jane',
    uid: 'u1',
    groups: ['dev', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id'], 'example.com/tenant': ['t'] },
  });
  assert.equal(authenticator.identify(signJwt({ iss: 'https://other' }, key), ['api']), undefined);
  for (const [token, message] of [
    [signJwt(claims({ aud: 'c' }), key), /oidc: verify token: oidc: expected audience in \["a" "b"\] got \["c"\]/],
    [
      signJwt(claims({ exp: 1 }), key),
      /oidc: verify token: oidc: token is expired \(Token Expiry: 1970-01-01 00:00:01/,
    ],
    [signJwt(claims(), stranger), /failed to verify signature: failed to verify id token signature/],
    [signJwt(claims({ hd: 'x' }), key), /required claim hd value does not match. Got = x, want = example.com/],
    [
      signJwt(claims({ iat: 0 }), key),
      /claim validation expression: validation expression '.*' failed: lives too long/,
    ],
    [signJwt(claims({ sub: 'root' }), key), /user info validation rule: .* failed: root is not welcome/],
    [
      signJwt(claims({ oid: 7 }), key),
      /parse uid claim "oid": json: cannot unmarshal number into Go value of type string/,
    ],
    [
      signJwt(claims({ roles: 5 }), key),
      /group claim expression: expression must return a string or a list of strings/,
    ],
  ] as const)
    await assert.rejects(async () => authenticator.identify(token, ['api']), message);
});

test('jwtIssuer maps claims by names, and wants e-mail to be verified', async () => {
  const authenticator = await started(`
    claimMappings:
      username: { claim: email, prefix: 'm:' }
      groups: { claim: roles, prefix: 'g:' }`);
  const name = async (more: object) =>
    (await authenticator.identify(signJwt(claims({ email: 'a@b', ...more }), key), ['api']))?.user;
  assert.deepEqual((await name({ roles: 'one' }))?.groups, ['g:one', 'system:authenticated']);
  assert.equal((await name({ email_verified: true }))?.name, 'm:a@b');
  await assert.rejects(name({ email_verified: false }), /oidc: email not verified/);
});

test('validateAuthenticationConfiguration says all that is wrong', () => {
  const judge = (jwt: object, more: object = {}) =>
    validateAuthenticationConfiguration({ jwt: [jwt], ...more }, options);
  const good = {
    issuer: { url: 'https://x', audiences: ['a'] },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
  };
  judge(good);
  for (const [jwt, message] of [
    [
      { ...good, issuer: { url: 'http://x', audiences: ['a'] } },
      /jwt\[0\].issuer.url: Invalid value: "http:\/\/x": URL scheme must be https/,
    ],
    [
      { ...good, issuer: { url: 'https://ours', audiences: ['a'] } },
      /URL must not overlap with disallowed issuers: \[https:\/\/ours\]/,
    ],
    [
      { ...good, issuer: { url: 'https://x' } },
      /audiences: Required value: at least one jwt\[0\].issuer.audiences is required/,
    ],
    [
      { ...good, issuer: { url: 'https://x', audiences: ['a', 'b'] } },
      /audienceMatchPolicy must be MatchAny for multiple audiences/,
    ],
    [
      { ...good, issuer: { ...good.issuer, egressSelectorType: 'cluster' } },
      /egress lookup required with egress selector type "cluster"/,
    ],
    [
      { ...good, claimMappings: { username: { claim: 'sub' } } },
      /username.prefix: Required value: prefix is required when claim is set/,
    ],
    [{ ...good, claimMappings: {} }, /username: Required value: claim or expression is required/],
    [{ ...good, claimMappings: { username: { expression: 'claims.email' } } }, /claims.email_verified must be used/],
    [
      { ...good, claimMappings: { ...good.claimMappings, extra: [{ key: 'a.k8s.io/x', valueExpression: '""' }] } },
      /are reserved for Kubernetes use/,
    ],
    [{ ...good, userValidationRules: [{ expression: 'user.username' }] }, /must evaluate to bool/],
    [
      { ...good, claimValidationRules: [{ expression: 'claims.' }] },
      /expression: Invalid value: "claims.": compilation failed/,
    ],
  ] as const)
    assert.throws(() => judge(jwt), message);
  const anonymous = { enabled: false, conditions: [{ path: '/healthz' }] };
  assert.throws(() => judge(good, { anonymous }), /enabled should be set to true when conditions are defined/);
});

test('readAuthenticationConfiguration is strict', () => {
  const head = 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\n';
  assert.deepEqual(readAuthenticationConfiguration(`${head}jwt: []`), { jwt: [], version: 'v1beta1' });
  assert.throws(() => readAuthenticationConfiguration(''), /empty config data/);
  assert.throws(
    () => readAuthenticationConfiguration(`${head}jwts: []`),
    /strict decoding error: unknown field "jwts"/,
  );
  assert.throws(
    () => readAuthenticationConfiguration(`${head}jwt: [{issuer: {uri: x}}]`),
    /unknown field "jwt\[0\].issuer.uri"/,
  );
  assert.throws(() => readAuthenticationConfiguration('kind: X\napiVersion: v1'), /no kind "X" is registered/);
});
