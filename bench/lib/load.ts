/** What the benchmarks ask of a server. */
import { Connection, type Answer, type Request } from './connection.ts';
import type { Target } from './server.ts';

export interface Rate {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly count: number;
}

/** So many requests, or as many as there are in a time. */
export type Until = { readonly count: number } | { readonly seconds: number };

/** Every client sends its next request when the last one is answered. Throws where an answer is no success. */
export async function load(
  target: Target,
  clients: number,
  until: Until,
  next: (index: number) => Request,
): Promise<Rate> {
  const connections = Array.from({ length: clients }, () => new Connection(target));
  // The handshakes are not what is measured.
  await Promise.all(connections.map((connection) => connection.send({ method: 'GET', path: '/livez' })));
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  const endMs = 'seconds' in until ? startedMs + until.seconds * 1000 : Infinity;
  const countMax = 'count' in until ? until.count : Infinity;
  let index = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (index < countMax && performance.now() < endMs) {
        const sentMs = performance.now();
        const request = next(index++);
        const { code } = await connection.send(request);
        latenciesMs.push(performance.now() - sentMs);
        if (code >= 300) throw new Error(`${request.method} ${request.path} was answered ${code}`);
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  for (const connection of connections) connection.close();
  latenciesMs.sort((a, b) => a - b);
  const p99Ms = latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0;
  return { perSecond: latenciesMs.length / seconds, p99Ms, count: latenciesMs.length };
}

/** One request on a connection of its own. */
export async function ask(target: Target, request: Request): Promise<Answer> {
  const connection = new Connection(target);
  try {
    return await connection.send(request, true);
  } finally {
    connection.close();
  }
}

/** A namespace that pods may be made in. */
export async function makeNamespace(target: Target): Promise<string> {
  const name = `bench-${Date.now().toString(36)}`;
  const make = (path: string, object: object) => ask(target, { method: 'POST', path, body: JSON.stringify(object) });
  await make('/api/v1/namespaces', { metadata: { name } });
  await make(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  return name;
}

export const configMap = (name: string, bytes = 900): string =>
  JSON.stringify({ metadata: { name }, data: { key: 'v'.repeat(bytes) } });

export const pod = (name: string): string =>
  JSON.stringify({
    metadata: { name, labels: { app: 'bench', tier: 'backend' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1.0',
          env: [{ name: 'MODE', value: 'production' }],
          ports: [{ containerPort: 8080 }],
          resources: { requests: { cpu: '100m', memory: '64Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
        },
      ],
    },
  });
