import { isReason, type Transport } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { IPAddress } from '@kubernode/api/networking/v1';
import { asServer } from '../bootstrap/facts.ts';

const path = '/apis/networking.k8s.io/v1/ipaddresses';
const labels = {
  family: 'ipaddress.kubernetes.io/ip-family',
  managedBy: 'ipaddress.kubernetes.io/managed-by',
} as const;
const manager = 'ipallocator.k8s.io';

/** Whether the allocator of Services made it, or is said to. */
export const isManaged = ({ metadata }: IPAddress): boolean => metadata.labels?.[labels.managedBy] === manager;

export const hasRightLabels = (address: IPAddress): boolean =>
  isManaged(address) && address.metadata.labels?.[labels.family] === familyOf(address.metadata.name);

const familyOf = (ip: string) => (ip.includes(':') ? 'IPv6' : 'IPv4');

/** The objects that say which Service has which address (KEP-1880). */
export class IpAddresses {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Rejects with AlreadyExists where somebody else has it. */
  async create(ip: string, { metadata }: Pick<Service, 'metadata'>): Promise<void> {
    const body = {
      metadata: { name: ip, labels: { [labels.family]: familyOf(ip), [labels.managedBy]: manager } },
      spec: { parentRef: { resource: 'services', namespace: metadata.namespace, name: metadata.name } },
    };
    await this.#transport.request({ method: 'POST', path, query: asServer, body });
  }

  /** What is gone already is fine. */
  async remove(ip: string): Promise<void> {
    try {
      await this.#transport.request({ method: 'DELETE', path: `${path}/${ip}` });
    } catch (error) {
      if (!isReason(error, 'NotFound')) throw error;
    }
  }
}
