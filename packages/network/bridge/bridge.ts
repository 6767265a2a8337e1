import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@kubernode/machinery';
import { runCommand, type RunCommand } from '../command.ts';
import type { PodAttachment, PodNetwork, PodPortMapping } from '@kubernode/api/cri';
import { AddressPool } from './ipam.ts';
import { bridgeTable, hostPortElement, podElement, type BridgeRulesOptions } from './rules.ts';

export interface BridgeOptions {
  /** Name of the link, at most 15 characters: `kn-1a2b3c`. */
  readonly bridge: string;
  /** Name of the nftables table. */
  readonly table: string;
  readonly podRange: string;
  readonly clusterRange: string;
  /** Routed to the bridge, so that a packet for a Service never takes the default route. */
  readonly serviceRange: string;
  /** Addresses in use and open host ports are kept here. */
  readonly stateFolder: string;
  readonly log: Logger;
  readonly run?: RunCommand;
}

export interface BridgeNetwork extends PodNetwork {
  /** The node's own address on the bridge: where cluster DNS listens. */
  readonly gateway: string;
  /** Removes the link and the table. */
  remove(): Promise<void>;
}

/** Makes (or finds again) a Linux bridge with the node's pod range, and joins pods to it. Needs root, `ip` and `nft`. */
export async function openBridgeNetwork(options: BridgeOptions): Promise<BridgeNetwork> {
  const network = new Bridge(options);
  await network.open();
  return network;
}

/** Where pods' namespaces are joined; kept so that a restart can open the same host ports again. */
interface AttachmentRecord {
  readonly address: string;
  readonly portMappings: readonly PodPortMapping[];
}

class Bridge implements BridgeNetwork {
  readonly #options: BridgeOptions;
  readonly #pool: AddressPool;
  readonly #run: RunCommand;
  readonly #rules: BridgeRulesOptions;
  readonly #records: string;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#run = options.run ?? runCommand;
    this.#pool = new AddressPool(options.podRange, join(options.stateFolder, 'addresses'));
    this.#records = join(options.stateFolder, 'attachments');
    this.#rules = { ...options, gateway: this.#pool.gateway };
  }

  get gateway(): string {
    return this.#pool.gateway;
  }

  async open(): Promise<void> {
    const { bridge, serviceRange, clusterRange, podRange } = this.#options;
    mkdirSync(this.#records, { recursive: true });
    const present = await this.#run('ip', ['-j', 'link', 'show', 'dev', bridge]).then(
      () => true,
      () => false,
    );
    const commands = [
      ...(present ? [] : [`link add name ${bridge} type bridge forward_delay 0`]),
      `addr replace ${this.gateway}/${this.#pool.prefixLength} dev ${bridge}`,
      `link set dev ${bridge} up`,
      'link set dev lo up',
      `route replace ${serviceRange} dev ${bridge} src ${this.gateway}`,
      // Pod addresses of nodes that are not there end here, too, instead of on the default route.
      ...(clusterRange === podRange ? [] : [`route replace ${clusterRange} dev ${bridge} src ${this.gateway}`]),
    ];
    await this.#batch(commands);
    for (const name of ['ip_forward', `conf/${bridge}/route_localnet`]) {
      await this.#run('tee', [`/proc/sys/net/ipv4/${name}`], { input: '1' });
    }
    await this.#nft(bridgeTable(this.#rules, this.#pool.addresses()) + this.#hostPortScript('add'));
  }

  async attach({ sandboxId, netnsPath, portMappings = [] }: PodAttachment): Promise<{ ips: readonly string[] }> {
    const known = this.#pool.addressOf(sandboxId);
    const address = this.#pool.allocate(sandboxId);
    if (known && (await this.#isJoined(sandboxId))) return { ips: [address] };
    try {
      await this.#join(sandboxId, netnsPath, address);
      const mapped = portMappings.filter((mapping) => mapping.hostPort > 0);
      const ports = mapped.map((mapping) => hostPortElement('add', this.#options.table, mapping, address));
      await this.#nft(podElement('add', this.#options.table, address) + ports.join(''));
      if (mapped.length > 0) this.#writeRecord(sandboxId, { address, portMappings: mapped });
      return { ips: [address] };
    } catch (error) {
      await this.#batch([`link del dev ${linkOf(sandboxId)}`]).catch(() => {});
      this.#pool.release(sandboxId);
      throw error;
    }
  }

  async detach({ sandboxId }: PodAttachment): Promise<void> {
    await this.#batch([`link del dev ${linkOf(sandboxId)}`]).catch(() => {}); // Gone with its namespace already.
    const address = this.#pool.addressOf(sandboxId);
    if (!address) return;
    const { table } = this.#options;
    const record = this.#readRecord(sandboxId);
    const ports = (record?.portMappings ?? []).map((mapping) => hostPortElement('delete', table, mapping, address));
    for (const line of [podElement('delete', table, address), ...ports]) await this.#nft(line).catch(() => {});
    rmSync(join(this.#records, sandboxId), { force: true });
    this.#pool.release(sandboxId);
  }

  remove(): Promise<void> {
    return removeBridgeNetwork(this.#options, this.#run);
  }

  /**
   * A veth pair, one end on the bridge, the other eth0. The pod's only neighbour is the gateway: what goes to another pod
   * passes the node's packet filter, too, else the answer to a Service would come back under the wrong address. (The
   * other way, br_netfilter, needs a kernel module and changes every bridge of the machine.)
   */
  async #join(sandboxId: string, netnsPath: string, address: string): Promise<void> {
    const link = linkOf(sandboxId);
    await this.#batch([
      `link add name ${link} type veth peer name eth0 netns ${netnsPath}`,
      `link set dev ${link} master ${this.#options.bridge} up`,
      // Where br_netfilter is on, the bridge itself carries what was sent to a Service: also back to the pod that asked.
      `link set dev ${link} type bridge_slave hairpin on`,
    ]);
    const inside = [
      'link set dev lo up',
      `addr add ${address}/32 dev eth0`,
      'link set dev eth0 up',
      `route add ${this.gateway} dev eth0 scope link`,
      `route add default via ${this.gateway} dev eth0`,
    ];
    // The node would tell pods of the shorter way to each other, which is the one that they must not take.
    const script =
      'for name in all eth0; do echo 0 > /proc/sys/net/ipv4/conf/$name/accept_redirects; done; exec ip -batch -';
    await this.#run('nsenter', [`--net=${netnsPath}`, 'sh', '-c', script], { input: `${inside.join('\n')}\n` });
  }

  #isJoined(sandboxId: string): Promise<boolean> {
    return this.#run('ip', ['link', 'show', 'dev', linkOf(sandboxId)]).then(
      () => true,
      () => false,
    );
  }

  #batch(commands: readonly string[]): Promise<string> {
    return this.#run('ip', ['-batch', '-'], { input: `${commands.join('\n')}\n` });
  }

  #nft(script: string): Promise<string> {
    return this.#run('nft', ['-f', '-'], { input: script });
  }

  #hostPortScript(verb: 'add' | 'delete'): string {
    return readdirSync(this.#records)
      .map((sandboxId) => this.#readRecord(sandboxId))
      .filter((record) => record !== undefined)
      .flatMap(({ address, portMappings }) =>
        portMappings.map((mapping) => hostPortElement(verb, this.#options.table, mapping, address)),
      )
      .join('');
  }

  #readRecord(sandboxId: string): AttachmentRecord | undefined {
    const path = join(this.#records, sandboxId);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as AttachmentRecord) : undefined;
  }

  #writeRecord(sandboxId: string, record: AttachmentRecord): void {
    writeFileSync(join(this.#records, sandboxId), JSON.stringify(record));
  }
}

/** A link's name has at most 15 characters; the sandbox's id is longer. */
function linkOf(sandboxId: string): string {
  return `knv${createHash('sha256').update(sandboxId).digest('hex').slice(0, 11)}`;
}

/** Takes away what `openBridgeNetwork` made, also after a crash. Quiet where there is nothing. */
export async function removeBridgeNetwork(
  names: { bridge: string; table: string },
  run: RunCommand = runCommand,
): Promise<void> {
  // The link first: it goes also where nft is missing.
  await run('ip', ['link', 'del', 'dev', names.bridge]).catch(() => {}); // It was not there.
  const script = `add table ip ${names.table}\ndelete table ip ${names.table}\n`;
  await run('nft', ['-f', '-'], { input: script });
}
