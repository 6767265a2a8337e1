import { Namespace, Service } from '@kubernode/api/core/v1';
import { EndpointSlice, type Endpoint } from '@kubernode/api/discovery/v1';
import type { Informer, InformerFactory } from '@kubernode/client';
import { serviceOf } from '../proxy/service-ports.ts';

export type DnsRecord =
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'PTR'; readonly name: string; readonly data: string }
  | { readonly type: 'TXT'; readonly name: string; readonly data: string }
  | { readonly type: 'SRV'; readonly name: string; readonly data: SrvData };

export interface SrvData {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

/** What a name stands for: `undefined` where there is no such name (NXDOMAIN), `[]` where it has no records of the type. */
export type Found = readonly DnsRecord[] | undefined;

/** One address behind a headless Service, with the name that it answers to. */
interface HeadlessAddress {
  readonly label: string;
  readonly address: string;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
}

/**
 * The names of the cluster's domain, looked up in informers' local copies (Kubernetes DNS-Based Service Discovery,
 * version 1.1.0). Names come in lower case, without the final dot.
 */
export class ClusterRecords {
  readonly #domain: string;
  readonly #namespaces: Informer<Namespace>;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;

  constructor(informers: InformerFactory, clusterDomain: string) {
    this.#domain = clusterDomain;
    this.#namespaces = informers.for(Namespace);
    this.#services = informers.for(Service);
    this.#slices = informers.for(EndpointSlice);
    this.#slices.addIndex('service', (slice) => [serviceOf(slice)]);
    this.#slices.addIndex('address', (slice) => slice.endpoints.flatMap((endpoint) => endpoint.addresses));
    this.#services.addIndex('clusterIP', (service) => service.spec.clusterIPs ?? []);
  }

  get domain(): string {
    return this.#domain;
  }

  async synced(): Promise<void> {
    await Promise.all([this.#namespaces.synced, this.#services.synced, this.#slices.synced]);
  }

  /** All records of a name in the cluster's domain, of every type. */
  find(name: string): Found {
    if (name === `dns-version.${this.#domain}`) return [{ type: 'TXT', name, data: '1.1.0' }];
    if (name === this.#domain) return [];
    const labels = name.slice(0, -this.#domain.length - 1).split('.');
    const [section, namespace, ...rest] = labels.toReversed();
    if (section === 'svc') return this.#inNamespaces(namespace, rest.toReversed(), name);
    if (section === 'pod') return this.#pod(namespace, rest.toReversed(), name);
    return undefined;
  }

  /** The names of an address, for PTR: a Service's, or that of an address behind a headless Service. */
  namesOf(address: string): string[] {
    const services = this.#services.byIndex('clusterIP', address).map((service) => this.#nameOf(service));
    if (services.length > 0) return services;
    return this.#slices.byIndex('address', address).flatMap((slice) => {
      const service = this.#serviceByKey(serviceOf(slice));
      if (!service || !isHeadless(service)) return [];
      const addresses = this.#headless(service).filter((candidate) => candidate.address === address);
      return addresses.map(({ label }) => `${label}.${this.#nameOf(service)}`);
    });
  }

  #inNamespaces(namespace: string | undefined, labels: readonly string[], name: string): Found {
    if (namespace === undefined) return [];
    if (!this.#namespaces.get(namespace)) return undefined;
    const serviceName = labels.at(-1);
    if (serviceName === undefined) return [];
    const service = this.#services.get(serviceName, namespace);
    if (!service) return undefined;
    const [first = '', second = ''] = labels;
    if (labels.length === 1) return this.#service(service, name);
    if (labels.length === 2) return first.startsWith('_') ? [] : this.#headlessHost(service, first, name);
    if (labels.length === 3 && first.startsWith('_') && second.startsWith('_')) {
      return this.#port(service, first.slice(1), second.slice(1), name);
    }
    return undefined;
  }

  #service(service: Service, name: string): Found {
    const { spec } = service;
    if (spec.type === 'ExternalName') return [{ type: 'CNAME', name, data: trimDot(spec.externalName ?? '') }];
    if (!isHeadless(service)) {
      const addresses = (spec.clusterIPs ?? []).map((address) => addressRecord(name, address));
      return [...addresses, ...this.#portRecords(service, name)];
    }
    const all = this.#headless(service);
    if (all.length === 0) return undefined;
    const addresses = unique(all.map(({ address }) => address)).map((address) => addressRecord(name, address));
    return [...addresses, ...this.#portRecords(service, name)];
  }

  #headlessHost(service: Service, label: string, name: string): Found {
    if (!isHeadless(service)) return undefined;
    const matching = this.#headless(service).filter((candidate) => candidate.label === label);
    return matching.length > 0
      ? unique(matching.map(({ address }) => address)).map((a) => addressRecord(name, a))
      : undefined;
  }

  #port(service: Service, port: string, protocol: string, name: string): Found {
    const records = this.#portRecords(service, name, port, protocol);
    return records.length > 0 ? records : undefined;
  }

  /** SRV records of the named ports; all of them where no name is given. */
  #portRecords(service: Service, name: string, port?: string, protocol?: string): DnsRecord[] {
    const isAsked = (candidate: { readonly name: string; readonly protocol: string }) =>
      candidate.name !== '' &&
      (port === undefined || (candidate.name === port && candidate.protocol.toLowerCase() === protocol));
    const own = this.#nameOf(service);
    if (isHeadless(service)) {
      const targets = this.#headless(service).flatMap(({ label, ports }) =>
        ports.filter(isAsked).map((found) => ({ port: found.port, target: `${label}.${own}` })),
      );
      const weight = Math.max(1, Math.floor(100 / Math.max(1, targets.length)));
      return targets.map((target) => ({ type: 'SRV', name, data: { priority: 0, weight, ...target } }));
    }
    const ports = (service.spec.ports ?? []).map((p) => ({
      name: p.name ?? '',
      protocol: p.protocol ?? 'TCP',
      port: p.port,
    }));
    return ports
      .filter(isAsked)
      .map((found) => ({ type: 'SRV', name, data: { priority: 0, weight: 100, port: found.port, target: own } }));
  }

  /** The addresses behind a headless Service: the ready ones, or all where publishNotReadyAddresses says so. */
  #headless(service: Service): HeadlessAddress[] {
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    const publishAll = service.spec.publishNotReadyAddresses === true;
    return this.#slices.byIndex('service', key).flatMap((slice) => {
      const ports = (slice.ports ?? []).map((port) => ({
        name: port.name ?? '',
        protocol: port.protocol ?? 'TCP',
        port: port.port ?? 0,
      }));
      return slice.endpoints
        .filter(({ conditions }) => publishAll || (conditions?.ready ?? true))
        .flatMap((endpoint) =>
          endpoint.addresses.map((address) => ({ label: labelOf(endpoint, address), address, ports })),
        );
    });
  }

  /** `10-244-0-5.default.pod.cluster.local`: any address, in a namespace that exists. */
  #pod(namespace: string | undefined, labels: readonly string[], name: string): Found {
    if (namespace === undefined) return [];
    if (!this.#namespaces.get(namespace)) return undefined;
    const [label = ''] = labels;
    if (labels.length === 0) return [];
    const address = /^\d+(-\d+){3}$/.test(label) ? label.replaceAll('-', '.') : undefined;
    return labels.length === 1 && address ? [addressRecord(name, address)] : undefined;
  }

  #serviceByKey(key: string): Service | undefined {
    const [namespace = '', name = ''] = key.split('/');
    return this.#services.get(name, namespace);
  }

  #nameOf({ metadata }: Service): string {
    return `${metadata.name}.${metadata.namespace}.svc.${this.#domain}`;
  }
}

const isHeadless = (service: Service) =>
  (service.spec.clusterIP ?? '') === 'None' || (service.spec.clusterIP ?? '') === '';
const labelOf = (endpoint: Endpoint, address: string) => endpoint.hostname || address.replaceAll(/[.:]/g, '-');
const unique = (items: readonly string[]) => [...new Set(items)];
const trimDot = (name: string) => name.replace(/\.$/, '');
const addressRecord = (name: string, address: string): DnsRecord => ({
  type: address.includes(':') ? 'AAAA' : 'A',
  name,
  data: address,
});
