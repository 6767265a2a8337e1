import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { decodeFields, encodeFields, textOf } from '../../outbound/grpc/messages.ts';
import { testService } from '../../outbound/grpc/test-service.ts';
import { until } from '../test-servers.ts';
import { externalSigner } from './external-signer.ts';
import { unverifiedClaims, verifyJwt } from './jwt.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = publicKey.export({ type: 'spki', format: 'der' });

test('externalSigner has tokens signed and knows the keys of a program outside', async (t) => {
  let keys = [
    encodeFields([
      [1, 'k1'],
      [2, spki],
    ]),
    encodeFields([
      [1, 'hidden'],
      [2, spki],
      [3, 1],
    ]),
  ];
  let header: object = { alg: 'ES256', kid: 'k1', typ: 'JWT' };
  let fetches = 0;
  const service = await testService('v1.ExternalJWTSigner', {
    Metadata: () => encodeFields([[1, 3600]]),
    FetchKeys() {
      fetches += 1;
      return encodeFields([...keys.map((key) => [1, key] as const), [2, Buffer.alloc(0)], [3, 30]]);
    },
    Sign(request) {
      const head = Buffer.from(JSON.stringify(header)).toString('base64url');
      const body = Buffer.from(`${head}.${textOf(decodeFields(request), 1)}`);
      const signature = sign('sha256', body, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return encodeFields([
        [1, head],
        [2, signature.toString('base64url')],
      ]);
    },
  });
  const end = new AbortController();
  t.after(() => {
    end.abort();
    service.stop();
  });
  const clock = new FakeClock();
  const { signer, keys: known } = externalSigner({
    endpoint: service.socket,
    issuer: 'https://i',
    clock,
    hasId: true,
    signal: end.signal,
  });
  await until(() => known.published().length > 0);
  assert.equal(signer.maxLifetimeSeconds, 3600);
  assert.deepEqual(
    known.published().map(({ keyId }) => keyId),
    ['k1'],
  );
  assert.equal(known.maxAgeSeconds(), 30);
  const claims = { namespace: 'a', serviceAccount: { name: 's', uid: 'u' }, audiences: ['x'], lifetimeSeconds: 600 };
  const token = await signer.sign(claims);
  assert.equal(unverifiedClaims(token)?.['iss'], 'https://i');
  assert.ok(verifyJwt(token, await known.keysFor('k1')));
  for (const [bad, message] of [
    [{ alg: 'none', kid: 'k1', typ: 'JWT' }, /while validating header: bad signing algorithm "none"/],
    [{ alg: 'ES256', kid: 'hidden', typ: 'JWT' }, /is excluded from OIDC discovery docs/],
    [{ alg: 'ES256', typ: 'JWT' }, /key id missing/],
    [{ alg: 'ES256', kid: 'k1', typ: 'JWT', x: 1 }, /unknown field "x"/],
  ] as const) {
    header = bad;
    await assert.rejects(async () => signer.sign(claims), message);
  }
  // A key that is not known is asked for; the keys are fetched again when the program said so.
  keys = [
    encodeFields([
      [1, 'k2'],
      [2, spki],
    ]),
  ];
  assert.equal((await known.keysFor('k2')).length, 1);
  assert.deepEqual(await known.keysFor('k9'), []);
  const before = fetches;
  await clock.advance(31_000);
  await until(() => fetches > before);
});
