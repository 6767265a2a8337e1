import type { Taint, Toleration } from '@kubernode/api/core/v1';

/** Whether a toleration covers a taint (core/v1 Toleration). */
export function toleratesTaint(
  { key, operator, value, effect }: Toleration,
  taint: Pick<Taint, 'key' | 'value' | 'effect'>,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator || 'Equal') {
    case 'Exists':
      return true;
    case 'Equal':
      return Boolean(key) && (value ?? '') === (taint.value ?? '');
    case 'Lt':
      return compareNumbers(taint.value, value) < 0;
    case 'Gt':
      return compareNumbers(taint.value, value) > 0;
    default:
      return false;
  }
}

/** KEP-5471: both must be whole numbers; 0 (neither less nor greater) where one is not. */
function compareNumbers(a: string | undefined, b: string | undefined): number {
  const isNumber = (text: string | undefined): text is string => text !== undefined && /^-?(0|[1-9]\d*)$/.test(text);
  if (!isNumber(a) || !isNumber(b)) return 0;
  return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
}
