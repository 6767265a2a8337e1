import type { Service } from '@kubernode/api/core/v1';

/**
 * The Docker links variables of the services that a pod sees: those of its own namespace, and always the API server's
 * (upstream: FromServices). Headless services and services without an address have none.
 */
export function serviceEnvironment(
  services: readonly Service[],
  namespace: string,
  enableServiceLinks: boolean,
): ReadonlyMap<string, string> {
  const env = new Map<string, string>();
  const byName = new Map<string, Service>();
  for (const service of services) {
    const { name, namespace: own } = service.metadata;
    const ip = service.spec.clusterIP;
    if (!ip || ip === 'None') continue;
    if (own === 'default' && name === 'kubernetes') {
      if (!byName.has(name)) byName.set(name, service);
    } else if (own === namespace && enableServiceLinks) byName.set(name, service);
  }
  for (const [name, service] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) addService(env, name, service);
  return env;
}

function addService(env: Map<string, string>, name: string, { spec }: Service): void {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const ip = spec.clusterIP ?? '';
  const ports = spec.ports ?? [];
  const first = ports[0];
  if (!first) return;
  env.set(`${prefix}_SERVICE_HOST`, ip);
  env.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const port of ports) {
    if (port.name) env.set(`${prefix}_SERVICE_PORT_${port.name.toUpperCase().replaceAll('-', '_')}`, String(port.port));
  }
  const host = ip.includes(':') ? `[${ip}]` : ip;
  ports.forEach((port, index) => {
    const protocol = (port.protocol ?? 'TCP').toLowerCase();
    const url = `${protocol}://${host}:${port.port}`;
    const base = `${prefix}_PORT_${port.port}_${protocol.toUpperCase()}`;
    if (index === 0) env.set(`${prefix}_PORT`, url);
    env.set(base, url);
    env.set(`${base}_PROTO`, protocol);
    env.set(`${base}_PORT`, String(port.port));
    env.set(`${base}_ADDR`, ip);
  });
}
