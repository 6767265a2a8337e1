import { seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import type { ApiServerOptions, ListenOptions } from './options.ts';
import { startApiServer, type ApiServer } from './server.ts';

interface ServedOptions extends Partial<Omit<ApiServerOptions, 'listen'>> {
  readonly tls?: ListenOptions['tls'];
}

/** A server without security that is reached on loopback, on a fresh store: what the tests of its HTTP ask. */
export function startServed({ tls, ...options }: ServedOptions = {}): Promise<ApiServer> {
  return startApiServer({
    store: memoryStore(),
    clock: systemClock,
    log: silentLogger,
    random: seededRandom(1),
    ...options,
    listen: { host: '127.0.0.1', port: 0, ...(tls && { tls }) },
  });
}
