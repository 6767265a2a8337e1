import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { createPki } from '../../pki/pki.ts';
import type { AdmissionRequest } from '../../seams.ts';
import { startApiServer, type ApiServer } from '../../server.ts';
import { withSecurity } from '../../with-security.ts';

/** What validating admission was shown, last first. */
const seen: AdmissionRequest[] = [];
let server: ApiServer;

before(async () => {
  const clock = new FakeClock();
  const common = { clock, log: silentLogger, random: seededRandom(1) };
  const secured = withSecurity({
    ...common,
    serviceAccountSigningKey: createPki({ clock }).serviceAccountKey,
    serviceRanges: ['10.96.0.0/16'],
    serviceAddress: '10.96.0.1',
    endpoint: () => ({ address: '192.0.2.1', port: 6443 }),
  });
  server = await startApiServer({
    store: memoryStore(),
    ...common,
    ...secured,
    security(context) {
      const security = secured.security!(context);
      const recorder = {
        name: 'Recorder',
        connects: true,
        validate: (request: AdmissionRequest) => void seen.unshift(request),
      };
      const connector = {
        resource: 'pods',
        methods: ['GET', 'POST'],
        connect: () => Promise.resolve({ status: 200, headers: {}, body: undefined }),
      };
      return {
        ...security,
        admission: [...security.admission, recorder],
        connectors: ['exec', 'proxy', 'log'].map((subresource) => ({ ...connector, subresource })),
      };
    },
  });
  await ask('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } });
  await ask('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  for (const name of ['p', 'q']) await ask('POST', `${core}/pods`, { metadata: { name, labels: { a: 'b' } }, spec });
});
after(() => server.stop());
beforeEach(() => {
  seen.length = 0;
});

const core = '/api/v1/namespaces/default';
const ask = (method: string, path: string, body?: object, query?: Record<string, string>): Promise<unknown> =>
  server.transport('system:admin').request({ method, path, ...(body && { body }), ...(query && { query }) } as never);

/** `operation resource/subresource name kind oldKind` */
const shown = ({ operation, attributes, object, oldObject }: AdmissionRequest): string => {
  const { resource, subresource, name } = attributes;
  const what = subresource ? `${resource}/${subresource}` : resource;
  return [operation, what, name || '-', object?.kind ?? '-', oldObject?.kind ?? '-'].join(' ');
};

const dry = { dryRun: 'All' };
const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
const cases: readonly [
  method: string,
  path: string,
  body: object | undefined,
  query: object | undefined,
  seen: string[],
][] = [
  [
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {},
    undefined,
    ['CREATE selfsubjectreviews - SelfSubjectReview -'],
  ],
  [
    'POST',
    `${core}/serviceaccounts/default/token`,
    {},
    undefined,
    ['CREATE serviceaccounts/token default TokenRequest -'],
  ],
  ['POST', `${core}/pods/p/binding`, binding, dry, ['CREATE pods/binding p Binding -']],
  ['POST', `${core}/bindings`, binding, dry, ['CREATE bindings p Binding -']],
  ['POST', `${core}/pods/p/eviction`, { metadata: { name: 'p' } }, dry, ['CREATE pods/eviction p Eviction -']],
  ['DELETE', `${core}/pods/p`, undefined, dry, ['DELETE pods p - Pod']],
  [
    'DELETE',
    `${core}/pods`,
    undefined,
    { ...dry, labelSelector: 'a=b' },
    ['DELETE pods - - Pod', 'DELETE pods - - Pod'],
  ],
];

for (const [method, path, body, query, expected] of cases) {
  test(`admission is asked about ${method} ${path}`, async () => {
    await ask(method, path, body, query as Record<string, string>);
    assert.deepEqual(seen.map(shown), expected);
  });
}

test('admission sees a token request as it will be answered', async () => {
  await ask('POST', `${core}/serviceaccounts/default/token`, { spec: {} });
  const { metadata, spec } = seen[0]!.object as unknown as { metadata: object; spec: { audiences: string[] } };
  assert.deepEqual(Object.keys(metadata).sort(), ['creationTimestamp', 'managedFields', 'name', 'namespace', 'uid']);
  assert.equal(spec.audiences.length, 1);
});

test('admission sees the grace period that a pod gets, and of collections what was asked', async () => {
  const grace = () => (seen[0]!.review!.options as { gracePeriodSeconds?: number }).gracePeriodSeconds;
  await ask('DELETE', `${core}/pods/p`, undefined, dry);
  assert.equal(grace(), 0);
  await ask('DELETE', `${core}/pods`, undefined, dry);
  assert.equal(grace(), undefined);
});

test('admission is asked about connections, with what the query says, but not about logs', async () => {
  const connect = (method: string, path: string, query: Record<string, string>) =>
    server.transport('system:admin').stream({ method, path, query } as never);
  await connect('POST', `${core}/pods/p/exec`, { command: 'ls', tty: 'true' });
  await connect('GET', `${core}/pods/p/proxy/a`, {});
  await connect('GET', `${core}/pods/p/log`, {});
  assert.deepEqual(seen.map(shown), ['CONNECT pods/proxy p PodProxyOptions -', 'CONNECT pods/exec p PodExecOptions -']);
  assert.partialDeepStrictEqual(seen[1]?.object, { command: ['ls'], tty: true });
});
