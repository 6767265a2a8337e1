import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transport } from '@kubernode/api';
import { createClient } from '@kubernode/client';
import { FakeClock } from '@kubernode/machinery';
import { testPod } from '../testing/objects.ts';
import { ServiceAccountTokens } from './tokens.ts';

test('ServiceAccountTokens: bound to the pod, kept, and renewed before the end of its life', async () => {
  const clock = new FakeClock();
  const asked: unknown[] = [];
  const transport = {
    async request({ path, body }: { path: string; body: { spec: object } }) {
      asked.push([path, body.spec]);
      const expirationTimestamp = new Date(clock.now() + 3_600_000).toISOString();
      return { status: { token: `token-${asked.length}`, expirationTimestamp } };
    },
  } as unknown as Transport;
  const tokens = new ServiceAccountTokens({ client: createClient(transport), clock, random: () => 0.5 });
  const pod = testPod({ serviceAccountName: 'robot' });
  const token = () => tokens.token(pod, { path: 'token', expirationSeconds: 3600, audience: 'vault' });
  assert.equal(await token(), 'token-1');
  assert.equal(await token(), 'token-1');
  const renewInMs = (tokens.renewAtMs('uid-web') ?? 0) - clock.now();
  assert.ok(renewInMs > 0.6 * 3_600_000 && renewInMs <= 0.8 * 3_600_000);
  await clock.advance(renewInMs + 1);
  assert.equal(await token(), 'token-2');
  assert.deepEqual(asked[0], [
    '/api/v1/namespaces/default/serviceaccounts/robot/token',
    {
      audiences: ['vault'],
      expirationSeconds: 3600,
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web', uid: 'uid-web' },
    },
  ]);
});
