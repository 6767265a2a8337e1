/** What the benchmarks ask of a server. */
import { Connection, type Answer, type Request } from './connection.ts';
import { startMeter, type Rate } from './meter.ts';
import type { Target } from './server.ts';

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
  try {
    // The handshakes are not what is measured.
    await Promise.all(connections.map((connection) => connection.send({ method: 'GET', path: '/livez' })));
    const measured = startMeter(target);
    return measured(await exchange(connections, until, next));
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** How many requests were answered. A callback for each connection and none for each request: those cost the client. */
function exchange(connections: readonly Connection[], until: Until, next: (index: number) => Request): Promise<number> {
  return new Promise((resolve, reject) => {
    let countMax = 'count' in until ? until.count : Infinity;
    const timer = 'seconds' in until ? setTimeout(() => (countMax = 0), until.seconds * 1000) : undefined;
    let sent = 0;
    let active = connections.length;
    for (const connection of connections) {
      let request: Request;
      const goOn = () => {
        if (sent >= countMax) {
          active -= 1;
          if (active === 0) resolve(sent);
          return;
        }
        request = next(sent);
        sent += 1;
        connection.write(request);
      };
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(error);
      };
      connection.listen((code) => {
        if (code < 300) goOn();
        else fail(new Error(`${request.method} ${request.path} was answered ${code}`));
      }, fail);
      goOn();
    }
  });
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
