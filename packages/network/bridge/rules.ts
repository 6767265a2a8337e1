import type { PodPortMapping } from '@kubernode/api/cri';

/** The bridge's own nftables table: who may talk to pod addresses, and what leaves under the node's address. */
export interface BridgeRulesOptions {
  readonly table: string;
  readonly bridge: string;
  readonly gateway: string;
  /** Of this node. */
  readonly podRange: string;
  /** Of the whole cluster: addresses in it that no route knows are rejected. */
  readonly clusterRange: string;
}

/**
 * Replaces the table as a whole. Pods reach the world behind the node's address; pod addresses that nobody has are
 * rejected on the spot instead of waiting for ARP; loopback addresses are not reachable over the bridge although
 * `route_localnet` is on for NodePorts on localhost (CVE-2020-8558).
 */
export function bridgeTable(options: BridgeRulesOptions, podAddresses: readonly string[]): string {
  const { table, bridge, gateway, podRange, clusterRange } = options;
  const elements = podAddresses.length > 0 ? `\n    elements = { ${podAddresses.join(', ')} }` : '';
  return `add table ip ${table}
delete table ip ${table}
table ip ${table} {
  set pods {
    type ipv4_addr${elements}
  }
  map host-ports {
    type inet_proto . inet_service : ipv4_addr . inet_service
  }
  map host-address-ports {
    type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service
  }
  chain host-ports-any {
    dnat ip to ip daddr . meta l4proto . th dport map @host-address-ports
    dnat ip to meta l4proto . th dport map @host-ports
  }
  chain refuse {
    meta l4proto tcp counter reject with tcp reset
    counter reject with icmp type host-unreachable
  }
  chain unknown {
    ip daddr ${podRange} ip daddr != @pods ip daddr != ${gateway} jump refuse
    ip daddr ${clusterRange} ip daddr != ${podRange} jump refuse
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
    jump unknown
  }
  chain output {
    type filter hook output priority filter; policy accept;
    jump unknown
  }
  chain no-loopback {
    type filter hook prerouting priority raw; policy accept;
    iifname "${bridge}" ip daddr 127.0.0.0/8 drop
  }
  chain host-ports-in {
    type nat hook prerouting priority dstnat; policy accept;
    fib daddr type local jump host-ports-any
  }
  chain host-ports-out {
    type nat hook output priority -100; policy accept;
    fib daddr type local jump host-ports-any
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${podRange} ip daddr != ${clusterRange} oifname != "${bridge}" masquerade
    ip saddr 127.0.0.0/8 oifname "${bridge}" masquerade
  }
}
`;
}

/** One pod joins or leaves. */
export function podElement(verb: 'add' | 'delete', table: string, address: string): string {
  return `${verb} element ip ${table} pods { ${address} }\n`;
}

/** One host port is opened or closed. */
export function hostPortElement(
  verb: 'add' | 'delete',
  table: string,
  mapping: PodPortMapping,
  address: string,
): string {
  const ofOneAddress = mapping.hostIp !== undefined && mapping.hostIp !== '' && mapping.hostIp !== '0.0.0.0';
  const port = `${mapping.protocol.toLowerCase()} . ${mapping.hostPort}`;
  const key = ofOneAddress ? `${mapping.hostIp} . ${port}` : port;
  const map = ofOneAddress ? 'host-address-ports' : 'host-ports';
  return `${verb} element ip ${table} ${map} { ${key} : ${address} . ${mapping.containerPort} }\n`;
}
