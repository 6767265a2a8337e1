import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoints } from '@kubernode/api/core/v1';
import { testObject, testService } from '../shared/testing.ts';
import { mirroredGroups, shouldMirror } from './mirrored.ts';

const endpoints = (labels: Record<string, string> = {}): Endpoints =>
  testObject<Endpoints>({
    metadata: { name: 'web', labels },
    subsets: [
      {
        addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }],
        notReadyAddresses: [{ ip: '192.0.2.2' }],
        ports: [{ port: 80 }],
      },
    ],
  });

test('mirroredGroups takes one family', () => {
  const [group] = mirroredGroups(endpoints(), 'IPv4');
  assert.deepEqual(
    group?.endpoints.map(({ addresses, conditions }) => [addresses[0], conditions.ready]),
    [
      ['192.0.2.1', true],
      ['192.0.2.2', false],
    ],
  );
  assert.equal(mirroredGroups(endpoints(), 'IPv6')[0]?.endpoints.length, 1);
});

test('shouldMirror leaves out services with a selector, none, and what opts out', () => {
  const plain = testService('web', { selector: undefined });
  assert.equal(shouldMirror(endpoints(), plain), true);
  assert.equal(shouldMirror(endpoints(), testService('web')), false);
  assert.equal(shouldMirror(endpoints(), undefined), false);
  assert.equal(shouldMirror(endpoints({ 'endpointslice.kubernetes.io/skip-mirror': 'true' }), plain), false);
});
