import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';

/** The ranges that a new cluster gets. */
export interface Ranges {
  readonly clusterCidr: string;
  readonly serviceRange: string;
}

const firstPodNetwork = 244;
const firstServiceNetwork = 96;
const triesMax = 12;

/** Ranges that nothing on this machine routes to yet, so that a second cluster does not take the first one's packets. */
export async function freeRanges(): Promise<Ranges> {
  const { stdout } = await promisify(execFile)('ip', ['-j', '-4', 'route']).catch(() => ({ stdout: '' }));
  const taken = (JSON.parse(stdout || '[]') as { dst?: string }[]).map(({ dst = '' }) => dst);
  const isFree = (second: number) => !taken.some((route) => route.startsWith(`10.${second}.`));
  const pick = (first: number) => Array.from({ length: triesMax }, (_, i) => first + i).find(isFree) ?? first;
  return { clusterCidr: `10.${pick(firstPodNetwork)}.0.0/16`, serviceRange: `10.${pick(firstServiceNetwork)}.0.0/16` };
}

/** The node's own part of the cluster's pod range: the first /24. */
export function nodePodRange(clusterCidr: string): string {
  const [address = '', prefix = '16'] = clusterCidr.split('/');
  return Number(prefix) >= 24 ? clusterCidr : `${address}/24`;
}

/** The address after the network's own: 10.244.0.0/24 → 10.244.0.1. */
export function firstAddress(range: string): string {
  const [address = ''] = range.split('/');
  return address.replace(/\d+$/, (last) => String(Number(last) + 1));
}

/** An IPv4 address under which other machines reach this one; undefined where there is only loopback. */
export function machineAddress(): string | undefined {
  const own = /^(kn|veth|docker|br-|cni|virbr)/;
  return Object.entries(networkInterfaces())
    .filter(([name]) => !own.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
