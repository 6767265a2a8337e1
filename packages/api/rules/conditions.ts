import { qualifiedName } from '@kubernode/machinery';
import type { Condition } from '../generated/types/meta/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { duplicate, invalid, required as requiredCause, tooLong } from './cause.ts';
import { requiredOneOf } from './values.ts';
import type { Rule } from './rule.ts';

const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonDetail =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";

/** A list of meta/v1 conditions (apimachinery, ValidateConditions): one a type, all fields there. */
export const conditions: Rule<readonly Condition[]> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap(({ type, status, reason, message, lastTransitionTime, observedGeneration = 0 }, index) => {
    const at = `${path}[${index}]`;
    const found: FieldCause[] = type
      ? qualifiedName(type).map((detail) => invalid(`${at}.type`, type, detail))
      : [requiredCause(`${at}.type`, 'must be set')];
    if (seen.has(type)) found.push(duplicate(at, type));
    seen.add(type);
    found.push(...requiredOneOf('False', 'True', 'Unknown')(status, `${at}.status`));
    if (observedGeneration < 0)
      found.push(invalid(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'));
    if (!lastTransitionTime) found.push(requiredCause(`${at}.lastTransitionTime`, 'must be set'));
    found.push(...reasonCauses(reason, `${at}.reason`));
    if (Buffer.byteLength(reason) > reasonBytesMax) found.push(tooLong(`${at}.reason`, reasonBytesMax));
    if (Buffer.byteLength(message) > messageBytesMax) found.push(tooLong(`${at}.message`, messageBytesMax));
    return found;
  });
};

/** A reason is there, and reads like a name. */
export function reasonCauses(reason: string, path: string): readonly FieldCause[] {
  if (!reason) return [requiredCause(path, 'must be set')];
  return reasonPattern.test(reason) ? [] : [invalid(path, reason, reasonDetail)];
}

/** The last condition that holds, as a word for a table. */
export const conditionCell = (list: readonly Condition[] = []) =>
  list.findLast(({ status }) => status === 'True')?.type ?? '';
