import { createHash } from 'node:crypto';
import type { Backend, ServicePortState } from './service-ports.ts';

/**
 * What the proxy wants in its nftables table, as plain data: rules of chains, and elements of maps and sets. Two of
 * these are compared to find the change; see `difference`.
 */
export interface TableState {
  /** Chain → its rules, in order. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Map or set → element → value ('' in a set). */
  readonly elements: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Sets that belong to one backend, with their declaration. */
  readonly sets: ReadonlyMap<string, string>;
}

/** The bit that marks a packet to be masqueraded, as kube-proxy's default. */
export const masqueradeMark = '0x4000';

/** The table of all Services. A chain is made for each port, and for each of its backends only with session affinity. */
export function tableState(ports: readonly ServicePortState[]): TableState {
  const state = new TableBuilder();
  for (const port of ports) state.addPort(port);
  return state;
}

class TableBuilder implements TableState {
  readonly chains = new Map<string, readonly string[]>();
  readonly elements = new Map<string, Map<string, string>>();
  readonly sets = new Map<string, string>();

  addPort(port: ServicePortState): void {
    const internal = this.#balance(`svc-${nameOf(port.id)}`, port, port.internal);
    for (const ip of port.clusterIps) {
      const verdict = internal ?? (port.internalLocal ? 'drop' : undefined);
      if (verdict) this.#element('service-ips', `${ip} . ${port.protocol} . ${port.port}`, verdictOf(verdict));
    }
    const external = this.#external(port);
    if (!external) return;
    for (const ip of port.externalIps) {
      this.#element('service-ips', `${ip} . ${port.protocol} . ${port.port}`, verdictOf(external));
    }
    if (port.nodePort > 0) this.#element('node-ports', `${port.protocol} . ${port.nodePort}`, verdictOf(external));
  }

  /** Traffic from outside is masqueraded, unless only local backends take it (externalTrafficPolicy Local). */
  #external(port: ServicePortState): string | undefined {
    if (port.nodePort === 0 && port.externalIps.length === 0) return undefined;
    const chain = `ext-${nameOf(port.id)}`;
    if (!port.externalLocal) {
      const shared = port.internalLocal ? this.#balance(`all-${nameOf(port.id)}`, port, port.external) : undefined;
      const target = shared ?? (port.external.length > 0 ? `svc-${nameOf(port.id)}` : undefined);
      if (!target) return undefined;
      this.chains.set(chain, [`meta mark set meta mark or ${masqueradeMark}`, `goto ${target}`]);
      return chain;
    }
    return this.#balance(`loc-${nameOf(port.id)}`, port, port.external) ?? 'drop';
  }

  #balance(chain: string, port: ServicePortState, backends: readonly Backend[]): string | undefined {
    if (backends.length === 0) return undefined;
    for (const { address } of backends) this.#element('hairpin', `${address} . ${address}`, '');
    const rules = port.affinitySeconds > 0 ? this.#sticky(chain, port, backends) : [spread(port.protocol, backends)];
    this.chains.set(chain, rules);
    return chain;
  }

  /** Each backend has a chain that remembers its clients; a client that is remembered goes there first. */
  #sticky(chain: string, port: ServicePortState, backends: readonly Backend[]): string[] {
    const targets = backends.map((backend) => {
      const target = `${chain}-${hashOf(`${backend.address}:${backend.port}`)}`;
      const set = `seen-${target}`;
      this.sets.set(set, `type ipv4_addr; flags dynamic,timeout; timeout ${port.affinitySeconds}s;`);
      this.chains.set(target, [`update @${set} { ip saddr }`, dnat(port.protocol, backend)]);
      return { target, set };
    });
    const choices = targets.map(({ target }, index) => `${index} : goto ${target}`);
    return [
      ...targets.map(({ target, set }) => `ip saddr @${set} goto ${target}`),
      `numgen random mod ${targets.length} vmap { ${choices.join(', ')} }`,
    ];
  }

  #element(map: string, key: string, value: string): void {
    const elements = this.elements.get(map) ?? new Map<string, string>();
    elements.set(key, value);
    this.elements.set(map, elements);
  }
}

const verdictOf = (target: string) => (target === 'drop' ? 'drop' : `goto ${target}`);

const dnat = (protocol: string, { address, port }: Backend) => `meta l4proto ${protocol} dnat ip to ${address}:${port}`;

function spread(protocol: string, backends: readonly Backend[]): string {
  const [only] = backends;
  if (backends.length === 1 && only) return dnat(protocol, only);
  const choices = backends.map(({ address, port }, index) => `${index} : ${address} . ${port}`);
  return `meta l4proto ${protocol} dnat ip to numgen random mod ${backends.length} map { ${choices.join(', ')} }`;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** A chain's name: a hash to be unique, then what a person can read. At most 128 characters. */
function nameOf(id: string): string {
  return `${hashOf(id)}-${id.replaceAll(/[^A-Za-z0-9/_.-]/g, '')}`.slice(0, 100).replace(/\/$/, '');
}
