/** The JavaScript client `@kubernetes/client-node`, unchanged, on our own Node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { nodeProgram } from './clients-programs.ts';

const { path, skip } = nodeProgram('workflow.mjs');
let server: ClientsServer;

before(async () => {
  if (!skip) server = await startClientsServer();
});
after(() => server?.stop());

test('client-node: informer, watch, server-side apply, patches and refusals', { skip }, async () => {
  assert.equal(await server.output(process.execPath, [path, 'client-node']), 'ok\n');
});
