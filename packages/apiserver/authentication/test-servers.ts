import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.ts';
import { createPki } from '../pki/pki.ts';

export interface TestServer {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  readonly outbound: Outbound;
  stop(): Promise<void>;
}

/** A small HTTPS server on loopback: answers JSON, or a status. For tests of what asks others. */
export async function startTestServer(
  answer: (path: string, body: unknown) => { readonly status?: number; readonly json: unknown } | undefined,
): Promise<TestServer> {
  const clock = new FakeClock(Date.now());
  const pki = createPki({ clock });
  const server: Server = createServer({ cert: pki.serving.certificate, key: pki.serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { status = 200, json } = answer(request.url ?? '/', text && JSON.parse(text)) ?? { status: 404, json: {} };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const outbound = createOutbound({ state: new MemoryState(), clock, log: silentLogger, random: Math.random });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: pki.clusterCa.certificate,
    outbound,
    async stop() {
      outbound.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when `isDone` says so; rejects after many turns of the event loop. */
export async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (isDone()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it did not come about');
}
