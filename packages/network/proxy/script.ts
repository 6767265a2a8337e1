import { masqueradeMark, type TableState } from './table.ts';

export interface BaseTableOptions {
  readonly table: string;
  readonly serviceRange: string;
}

/** The parts of the table that are always there. Replaces what an earlier process left. */
export function baseScript({ table, serviceRange }: BaseTableOptions): string {
  return `add table ip ${table}
delete table ip ${table}
table ip ${table} {
  comment "Services; kept by kubernode"
  map service-ips {
    type ipv4_addr . inet_proto . inet_service : verdict
  }
  map node-ports {
    type inet_proto . inet_service : verdict
  }
  set hairpin {
    type ipv4_addr . ipv4_addr
  }
  chain services {
    ip daddr . meta l4proto . th dport vmap @service-ips
    fib daddr type local meta l4proto . th dport vmap @node-ports
  }
  chain nat-prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    jump services
  }
  chain nat-output {
    type nat hook output priority -100; policy accept;
    jump services
  }
  chain nat-postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    meta mark & ${masqueradeMark} == ${masqueradeMark} masquerade
    ip saddr . ip daddr @hairpin masquerade
  }
  chain unknown {
    ip daddr ${serviceRange} meta l4proto tcp reject with tcp reset
    ip daddr ${serviceRange} reject with icmp port-unreachable
  }
  chain filter-forward {
    type filter hook forward priority filter; policy accept;
    jump unknown
  }
  chain filter-output {
    type filter hook output priority filter; policy accept;
    jump unknown
  }
}
`;
}

/**
 * The commands that turn one state into another, in an order that the kernel takes in one transaction: new sets and
 * chains first, then elements, last what nothing refers to any more. '' where both are the same.
 */
export function difference(table: string, before: TableState, after: TableState): string {
  const lines: string[] = [];
  for (const [set, declaration] of after.sets)
    if (!before.sets.has(set)) lines.push(`add set ip ${table} ${set} { ${declaration} }`);
  const changed = [...after.chains].filter(([chain, rules]) => !sameRules(before.chains.get(chain), rules));
  for (const [chain] of changed) lines.push(`add chain ip ${table} ${chain}`);
  for (const [chain] of changed) if (before.chains.has(chain)) lines.push(`flush chain ip ${table} ${chain}`);
  for (const [chain, rules] of changed) for (const rule of rules) lines.push(`add rule ip ${table} ${chain} ${rule}`);
  lines.push(...elementChanges(table, before, after));
  const gone = [...before.chains.keys()].filter((chain) => !after.chains.has(chain));
  for (const chain of gone) lines.push(`flush chain ip ${table} ${chain}`);
  for (const chain of gone) lines.push(`delete chain ip ${table} ${chain}`);
  for (const set of before.sets.keys()) if (!after.sets.has(set)) lines.push(`delete set ip ${table} ${set}`);
  return lines.length > 0 ? `${lines.join('\n')}\n` : '';
}

function elementChanges(table: string, before: TableState, after: TableState): string[] {
  const none: ReadonlyMap<string, string> = new Map();
  const names = new Set([...before.elements.keys(), ...after.elements.keys()]);
  return [...names].flatMap((name) => {
    const old = before.elements.get(name) ?? none;
    const wanted = after.elements.get(name) ?? none;
    const removed = [...old].filter(([key, value]) => wanted.get(key) !== value);
    const added = [...wanted].filter(([key, value]) => old.get(key) !== value);
    return [
      ...(removed.length > 0
        ? [`delete element ip ${table} ${name} { ${removed.map(([key]) => key).join(', ')} }`]
        : []),
      ...(added.length > 0 ? [`add element ip ${table} ${name} { ${added.map(elementText).join(', ')} }`] : []),
    ];
  });
}

const elementText = ([key, value]: readonly [string, string]) => (value === '' ? key : `${key} : ${value}`);

function sameRules(before: readonly string[] | undefined, after: readonly string[]): boolean {
  return before?.length === after.length && after.every((rule, index) => rule === before[index]);
}
