/** The Python client, unchanged, as Debian packages it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { pythonProgram } from './clients-programs.ts';

const { path, skip } = pythonProgram('workflow.py');
let server: ClientsServer;

before(async () => {
  if (!skip) server = await startClientsServer();
});
after(() => server?.stop());

test('Python client: lists, watches, writes, patches, and the dynamic client', { skip }, async () => {
  assert.equal(await server.output('/usr/bin/python3', [path, 'python']), 'ok\n');
});
