import { addQuantities, compareQuantities, quantityScaled } from '@kubernode/machinery';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, required, tooMany } from '../cause.ts';

type Quantity = string | number;

const optionsMax = 10;
const integerMax = '9223372036854775807';

/** A capacity; only a device that several claims share may have a policy of how it is cut. */
export function capacityCauses(
  { value, requestPolicy }: DeviceCapacity,
  path: string,
  isShared: boolean,
): FieldCause[] {
  if (!requestPolicy) return [];
  const at = `${path}.requestPolicy`;
  return isShared ? policyCauses(value, requestPolicy, at) : [forbidden(at, 'allowMultipleAllocations must be true')];
}

function policyCauses(capacity: Quantity, policy: CapacityRequestPolicy, path: string): FieldCause[] {
  const { validValues = [], validRange, default: usual } = policy;
  if (validValues.length > 0 && validRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(path, detail)];
  }
  const name = validValues.length > 0 ? 'validValues' : 'validRange';
  if (validValues.length === 0 && !validRange) return [];
  if (usual === undefined) return [required(`${path}.default`, `required when ${name} is defined`)];
  if (validRange) return rangeCauses(usual, capacity, validRange, `${path}.validRange`);
  return valuesCauses(usual, capacity, validValues, `${path}.validValues`);
}

function valuesCauses(usual: Quantity, capacity: Quantity, values: readonly Quantity[], path: string): FieldCause[] {
  const found: FieldCause[] = [];
  values.forEach((value, index) => {
    const next = values[index + 1];
    if (next !== undefined && compareQuantities(value, next) > 0)
      found.push(invalid(`${path}[${index + 1}]`, String(next), 'values must be sorted in ascending order'));
  });
  if (values.length > optionsMax) found.push(tooMany(path, values.length, optionsMax));
  else found.push(...optionCauses(capacity, values, path));
  // Of too many options none was looked at, so the default is not among them.
  const isAmong = values.length <= optionsMax && values.some((value) => compareQuantities(value, usual) === 0);
  if (!isAmong) found.push(invalid(path, String(usual), 'default value is not valid according to the requestPolicy'));
  return found;
}

function optionCauses(capacity: Quantity, values: readonly Quantity[], path: string): FieldCause[] {
  const seen = new Set<bigint>();
  const tooLarge: FieldCause[] = [];
  const repeated: FieldCause[] = [];
  values.forEach((value, index) => {
    const at = `${path}[${index}]`;
    if (compareQuantities(value, capacity) > 0)
      tooLarge.push(invalid(at, String(value), `option is larger than capacity value: ${capacity}`));
    const key = quantityScaled(value, 0);
    if (seen.has(key)) repeated.push(duplicate(at, String(key)));
    seen.add(key);
  });
  return [...tooLarge, ...repeated];
}

function rangeCauses(usual: Quantity, capacity: Quantity, range: CapacityRequestPolicyRange, path: string) {
  const { min, max, step } = range;
  if (min === undefined) return [required(`${path}.min`, 'required when validRange is defined')];
  const found: FieldCause[] = [];
  const wrong = (name: string, value: Quantity, detail: string) =>
    found.push(invalid(`${path}.${name}`, String(value), detail));
  if (compareQuantities(min, capacity) > 0) wrong('min', min, `min is larger than capacity value: ${capacity}`);
  if (compareQuantities(usual, min) < 0) wrong('default', usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) wrong('max', min, `min is larger than max: ${max}`);
    if (compareQuantities(max, capacity) > 0) wrong('max', max, `max is larger than capacity value: ${capacity}`);
    if (compareQuantities(usual, max) > 0) wrong('default', usual, `default is more than max: ${max}`);
  }
  if (step === undefined) return found;
  return [...found, ...stepCauses({ usual, capacity, min, max, step }, path)];
}

interface Steps {
  readonly usual: Quantity;
  readonly capacity: Quantity;
  readonly min: Quantity;
  readonly max: Quantity | undefined;
  readonly step: Quantity;
}

function stepCauses({ usual, capacity, min, max, step }: Steps, path: string): FieldCause[] {
  const at = `${path}.step`;
  if (compareQuantities(step, '0') <= 0) return [invalid(at, String(step), 'must be greater than zero')];
  const found: FieldCause[] = [];
  const first = addQuantities(min, step);
  if (compareQuantities(first, capacity) > 0)
    found.push(invalid(at, String(step), `one step ${first} is larger than capacity value: ${capacity}`));
  const beyond = Object.entries({ default: usual, min, max, step }).flatMap(([name, value]) =>
    value === undefined ? [] : integerCauses(value, `${path}.${name}`),
  );
  if (beyond.length > 0) return [...found, ...beyond];
  for (const value of max === undefined ? [usual] : [usual, max]) {
    const distance = quantityScaled(value, 0) - quantityScaled(min, 0);
    if (distance % quantityScaled(step, 0) !== 0n)
      found.push(invalid(at, String(value), `value is not a multiple of a given step (${step}) from (${min})`));
  }
  return found;
}

/** Steps are counted in 64 bits. */
function integerCauses(value: Quantity, path: string): FieldCause[] {
  if (compareQuantities(value, '0') < 0) return [invalid(path, String(value), 'must be greater than or equal to 0')];
  if (compareQuantities(value, integerMax) <= 0) return [];
  return [invalid(path, String(value), `must not be larger than ${integerMax}`)];
}
