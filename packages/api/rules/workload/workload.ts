import { isPercent, percent, resolveIntOrPercent } from '@kubernode/machinery';
import type { IntOrString } from '../../scalars.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';
import { all, fields, type Rule } from '../rule.ts';
import { nonNegative } from '../values.ts';

/** A count that is not negative, or a share in percent. */
export const intOrPercent: Rule<IntOrString> = (value, path) => {
  if (typeof value === 'number') return nonNegative(value, path);
  return percent(value).map((detail) => invalid(path, value, detail));
};

/** A share of all at most. */
export const atMostAll: Rule<IntOrString> = (value, path) =>
  isPercent(value) && Number.parseInt(value, 10) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];

/** Whether it amounts to nothing, however many there are. */
export function isNone(value: IntOrString | undefined): boolean {
  if (value === undefined) return true;
  if (typeof value === 'number') return value === 0;
  if (isPercent(value)) return resolveIntOrPercent(value, 100, { roundUp: true }) === 0;
  // A number in quotes counts; any other text is as good as none.
  return !/^[+-]?\d+$/.test(value) || Number(value) === 0;
}

type Counts = Readonly<Record<string, unknown>>;
const countOf = (status: Counts, name: string) => (status[name] as number | undefined) ?? 0;

/** Counts in a status are not negative. */
export function counts<S extends object>(...names: readonly (keyof S & string)[]): Rule<S> {
  return fields<S>(Object.fromEntries(names.map((name) => [name, nonNegative])) as never);
}

/** One count of a status includes another: there are no more ready replicas than replicas. */
export function noMoreThan<S extends object>(name: keyof S & string, whole: keyof S & string): Rule<S> {
  return (status, path) => {
    const value = countOf(status as Counts, name);
    if (value <= countOf(status as Counts, whole)) return [];
    return [invalid(`${path}.${name}`, value, `cannot be greater than status.${whole}`)];
  };
}

/** An update must not lower it: names collide ever more, never less. */
export function notLowered<S extends object>(name: keyof S & string): Rule<S> {
  return (status, path, old): readonly FieldCause[] => {
    const before = old && ((old as Counts)[name] as number | undefined);
    if (before === undefined) return [];
    const after = (status as Counts)[name] as number | undefined;
    if (after === undefined || after < before) return [invalid(`${path}.${name}`, after, 'cannot be decremented')];
    return [];
  };
}

interface ReplicaStatus {
  readonly replicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly observedGeneration?: number | undefined;
}

/** What the status of all that keeps replicas has in common. */
export const replicaCounts: Rule<ReplicaStatus> = all<ReplicaStatus>(
  counts<ReplicaStatus>('replicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'),
  noMoreThan<ReplicaStatus>('readyReplicas', 'replicas'),
  noMoreThan<ReplicaStatus>('availableReplicas', 'replicas'),
  noMoreThan<ReplicaStatus>('availableReplicas', 'readyReplicas'),
);
