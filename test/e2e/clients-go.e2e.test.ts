/** client-go, unchanged: what every controller written in Go is made of. */
import { after, before, test } from 'node:test';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { goProgram } from './clients-programs.ts';

const { path, skip } = goProgram('clientgo');
const types = {
  JSON: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
  CBOR: 'application/cbor',
};
const cborGates = { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' };
let server: ClientsServer;
let count = 0;

/** One workflow in a namespace of its own. */
const run = (workflow: string, contentType: string, env: NodeJS.ProcessEnv = {}) =>
  server.output(path, [workflow, `client-go-${(count += 1)}`, contentType], { env });

before(async () => {
  if (!skip) server = await startClientsServer({ CBORServingAndStorage: true });
});
after(() => server?.stop());

for (const [name, contentType] of Object.entries(types)) {
  const gates = name === 'CBOR' ? cborGates : {};
  for (const streams of [true, false]) {
    const how = streams ? 'streamed lists' : 'lists in pages';
    test(`client-go: informers in ${name} by ${how}`, { skip }, async () => {
      await run('informers', contentType, { ...gates, KUBE_FEATURE_WatchListClient: String(streams) });
    });
  }
  test(`client-go: typed server-side apply in ${name}`, { skip }, async () => {
    await run('apply', contentType, gates);
  });
}

test('client-go: leader election by a Lease', { skip }, async () => {
  await run('election', types.protobuf);
});

test('client-go: counting up by retries on conflict', { skip }, async () => {
  await run('conflict', types.protobuf);
});

for (const gates of [{}, cborGates]) {
  const how = gates === cborGates ? ' in CBOR' : '';
  test(`client-go: dynamic and metadata clients and their informers${how}`, { skip }, async () => {
    await run('dynamic', '', gates);
  });
}

test('client-go: discovery, RESTMapper and OpenAPI', { skip }, async () => {
  await run('discovery', '');
});
