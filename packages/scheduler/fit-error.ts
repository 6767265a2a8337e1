import type { Verdict } from './framework.ts';

/** Why a pod fits on no node: the verdicts by node's name, or one for all. */
export interface FitError {
  readonly nodeCount: number;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Names of the plugins that refused; their hints wake the pod up again. */
  readonly plugins: ReadonlySet<string>;
  /** What preemption found, where it was tried. */
  readonly preemption?: string;
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: …`: clients read it. */
export function fitMessage({ nodeCount, verdicts, preemption }: FitError): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const text = `0/${nodeCount} nodes are available: ${histogram([...verdicts.values()].flatMap(({ reasons }) => reasons))}.`;
  return preemption ? `${text} ${preemption}` : text;
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`, sorted as text. */
export function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(', ');
}
