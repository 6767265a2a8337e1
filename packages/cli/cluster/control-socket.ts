import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Component, Logger } from '@kubernode/machinery';
import { UserError } from '../terminal/user-error.ts';
import type { DataDir } from './data-dir.ts';

const { createServer, request } = process.getBuiltinModule('node:http');

/** What the process that runs the node does for other commands of this machine; only root can open the socket. */
export type ControlActions = Readonly<Record<string, (argument: unknown) => Promise<unknown>>>;

const socketOf = (dataDir: DataDir) => join(dataDir.path, 'run', 'control.sock');

/** Serves the actions on a unix socket in the data folder: POST /<action> with a JSON argument. */
export async function serveControl(dataDir: DataDir, actions: ControlActions, log: Logger): Promise<Component> {
  const path = socketOf(dataDir);
  rmSync(path, { force: true });
  const server = createServer((incoming, response) => {
    void handle(incoming, actions).then(({ status, body }) => {
      if (status >= 500) log.warn('a command failed', { action: incoming.url, error: body });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
    });
  });
  await new Promise<void>((done, fail) => server.once('error', fail).listen(path, done));
  chmodSync(path, 0o600);
  // No connection can be taken (no file descriptor is left, say): the next one may.
  server.on('error', (error) => log.warn('control socket', { error: error.message }));
  return {
    name: 'control',
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function handle(incoming: IncomingMessage, actions: ControlActions): Promise<{ status: number; body: unknown }> {
  const action = actions[(incoming.url ?? '').slice(1)];
  if (!action) return { status: 404, body: `there is no action ${incoming.url}` };
  try {
    return { status: 200, body: await action(JSON.parse(await textOf(incoming))) };
  } catch (error) {
    return { status: 500, body: error instanceof Error ? error.message : String(error) };
  }
}

/** Asks the running node of a data folder. Throws UserError where none runs, or where the action fails. */
export function callControl<T>(dataDir: DataDir, action: string, argument: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socketOf(dataDir), path: `/${action}`, method: 'POST' }, (response) => {
      void textOf(response).then((text) => {
        const body = JSON.parse(text) as unknown;
        if (response.statusCode === 200) resolve(body as T);
        else reject(new UserError(String(body)));
      });
    });
    outgoing.on('error', (error) => {
      const remedy = "Start the cluster with 'kubernode up'.";
      reject(new UserError(`No node of ${dataDir.path} runs here (${error.message}).`, remedy));
    });
    outgoing.end(JSON.stringify(argument));
  });
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
