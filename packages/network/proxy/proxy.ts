import { Service } from '@kubernode/api/core/v1';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { Informer, InformerFactory } from '@kubernode/client';
import type { Clock, Component, Logger } from '@kubernode/machinery';
import { runCommand, type RunCommand } from '../command.ts';
import { baseScript, difference } from './script.ts';
import { serviceOf, servicePorts, type ServicePortState } from './service-ports.ts';
import { tableState, type TableState } from './table.ts';

export interface ServiceProxyOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly table: string;
  /** Addresses in it that belong to no Service are rejected on the spot. */
  readonly serviceRange: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly run?: RunCommand;
}

/** Changes are gathered this long, so that a burst costs one transaction. */
const gatherMs = 20;
const retryMsMax = 30_000;
const empty: TableState = { chains: new Map(), elements: new Map(), sets: new Map() };

/** Keeps an nftables table in step with Services and EndpointSlices. Resolves after the first complete table. */
export async function startServiceProxy(options: ServiceProxyOptions): Promise<Component> {
  const proxy = new ServiceProxy(options);
  await proxy.start();
  return proxy;
}

class ServiceProxy implements Component {
  readonly name = 'service-proxy';
  readonly #options: ServiceProxyOptions;
  readonly #run: RunCommand;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #ports = new Map<string, readonly ServicePortState[]>();
  readonly #dirty = new Set<string>();
  #applied: TableState | undefined;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  #stopped = false;
  #unsubscribe: (() => void)[] = [];

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
    this.#run = options.run ?? runCommand;
    this.#services = options.informers.for(Service);
    this.#slices = options.informers.for(EndpointSlice);
    this.#slices.addIndex('service', (slice) => [serviceOf(slice)]);
  }

  async start(): Promise<void> {
    await Promise.all([this.#services.synced, this.#slices.synced]);
    this.#unsubscribe = [
      this.#services.onChange(({ object }) => this.#touch(`${object.metadata.namespace}/${object.metadata.name}`)),
      this.#slices.onChange(({ object }) => this.#touch(serviceOf(object))),
    ];
    await this.#sync();
  }

  /** Leaves the rules in the kernel, so that Services work on while the process is replaced. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#running;
  }

  #touch(service: string): void {
    this.#dirty.add(service);
    this.#schedule(gatherMs);
  }

  #schedule(delayMs: number): void {
    if (this.#cancelTimer || this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#running = this.#running.then(() => this.#sync());
    });
  }

  async #sync(): Promise<void> {
    for (const key of this.#dirty) this.#recompute(key);
    this.#dirty.clear();
    const wanted = tableState([...this.#ports.values()].flat());
    const { table } = this.#options;
    const fresh = this.#applied === undefined;
    const script = (fresh ? baseScript(this.#options) : '') + difference(table, this.#applied ?? empty, wanted);
    if (script === '') return;
    try {
      await this.#run('nft', ['-f', '-'], { input: script });
      const before = this.#applied ?? empty;
      this.#applied = wanted;
      this.#failures = 0;
      await this.#forgetDatagrams(before, wanted);
    } catch (error) {
      this.#applied = undefined; // The next try replaces the whole table.
      const delayMs = Math.min(1000 * 2 ** this.#failures++, retryMsMax);
      this.#options.log.error('could not apply the Service rules', { error: String(error), retryMs: delayMs });
      this.#schedule(delayMs);
    }
  }

  #recompute(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const service = this.#services.get(name, namespace);
    const ports = service ? servicePorts(service, this.#slices.byIndex('service', key), this.#options.nodeName) : [];
    if (ports.length > 0) this.#ports.set(key, ports);
    else this.#ports.delete(key);
  }

  /** UDP has no end of a connection: entries of backends that are gone would hold clients there (kubernetes#40961). */
  async #forgetDatagrams(before: TableState, after: TableState): Promise<void> {
    const old = before.elements.get('service-ips') ?? new Map<string, string>();
    for (const [key, verdict] of old) {
      const [address = '', protocol, port = ''] = key.split(' . ');
      if (protocol !== 'udp') continue;
      const chain = verdict.replace('goto ', '');
      const now = after.elements.get('service-ips')?.get(key);
      if (now === verdict && before.chains.get(chain)?.join() === after.chains.get(chain)?.join()) continue;
      const args = ['-D', '-p', 'udp', '--orig-dst', address, '--dport', port];
      await this.#run('conntrack', args).catch(() => {}); // It fails where there was no entry.
    }
  }
}

/** Takes the table out of the kernel, when a cluster is removed for good. */
export async function removeServiceTable(table: string, run: RunCommand = runCommand): Promise<void> {
  await run('nft', ['-f', '-'], { input: `add table ip ${table}\ndelete table ip ${table}\n` });
}
