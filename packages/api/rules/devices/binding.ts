import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid } from '../cause.ts';
import { upTo } from './claim.ts';
import { nameOfLabel } from './names.ts';
import { firstIndexes } from '../repeated.ts';

const conditionsMax = 4;

interface Bindings {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Conditions that a device waits for, and those that end the wait: both or none, each once. */
export function bindingConditions(device: Bindings, path: string): readonly FieldCause[] {
  const { bindingConditions: wanted = [], bindingFailureConditions: failures = [] } = device;
  const [at, failuresAt] = [`${path}.bindingConditions`, `${path}.bindingFailureConditions`];
  const found: FieldCause[] = [];
  upTo(conditionsMax, wanted).forEach((name, index) => found.push(...nameOfLabel(name, `${at}[${index}]`)));
  upTo(conditionsMax, failures).forEach((name, index) => found.push(...nameOfLabel(name, `${failuresAt}[${index}]`)));
  const firstWanted = firstIndexes(wanted);
  const firstFailure = firstIndexes(failures);
  wanted.forEach((name, index) => {
    if (firstWanted.get(name)! < index) found.push(duplicate(`${at}[${index}]`, name));
  });
  failures.forEach((name, index) => {
    const place = `${failuresAt}[${index}]`;
    if (firstFailure.get(name)! < index) found.push(duplicate(place, name));
    if (firstWanted.has(name))
      found.push(invalid(place, name, 'bindingFailureConditions must not overlap with bindingConditions'));
  });
  if (wanted.length === 0 && failures.length > 0)
    found.push(invalid(at, wanted, 'bindingConditions are required to use bindingFailureConditions'));
  if (failures.length === 0 && wanted.length > 0)
    found.push(invalid(failuresAt, failures, 'bindingFailureConditions are required to use bindingConditions'));
  return found;
}

/** Preparing is only skipped where what undoes it is skipped too. */
export function skippedOperations(list: readonly string[] = [], path: string): readonly FieldCause[] {
  const skips = (name: string) => list.includes(name) || list.includes('*');
  if (!list.includes('NodePrepareResources') || skips('NodeUnprepareResources')) return [];
  return [invalid(path, list, 'NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped')];
}
