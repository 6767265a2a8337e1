import { formatTime } from './time.ts';

interface Dated {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
}

/**
 * The conditions with one set: in its place, or at the end. Its time is that of the last change of its status
 * (apimachinery, SetStatusCondition).
 */
export function withStatusCondition<Condition extends Dated>(
  conditions: readonly Condition[],
  next: Omit<Condition, 'lastTransitionTime'> & Pick<Dated, 'type' | 'status'>,
  nowMs: number,
): Condition[] {
  const index = conditions.findIndex(({ type }) => type === next.type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : formatTime(nowMs);
  const set = { ...old, ...next, lastTransitionTime } as Condition;
  return old ? conditions.with(index, set) : [...conditions, set];
}
