import { table } from '@kubernode/machinery';
import { PriorityClass } from '../../generated/types/scheduling/v1.ts';
import { forbidden } from '../../rules/cause.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { immutable, requiredOneOf } from '../../rules/values.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const userMax = 1_000_000_000;
const systemValues: Readonly<Record<string, number>> = table({
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
});

/** Above what users may ask for are the system's own classes, with values of their own. */
const value: Rule<PriorityClass> = ({ metadata, value: priority, globalDefault }) => {
  const name = metadata.name ?? '';
  if (name.startsWith('system-')) {
    const isKnown = systemValues[name] === priority && !globalDefault;
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: the value does not match`;
    return isKnown ? [] : [forbidden('metadata.name', detail)];
  }
  return priority > userMax
    ? [forbidden('value', `maximum allowed value of a user defined priority is ${userMax}`)]
    : [];
};

const fixedValue: Rule<PriorityClass> = (object, _path, old) =>
  old && object.value !== old.value ? [forbidden('value', 'may not be changed in an update.')] : [];

export const priorityClass = define(PriorityClass, {
  defaults(object) {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validateCreate: validate<PriorityClass>(
    value,
    fields<PriorityClass>({ preemptionPolicy: requiredOneOf('Never', 'PreemptLowerPriority') }),
  ),
  validateUpdate: validateUpdate<PriorityClass>(fixedValue, fields<PriorityClass>({ preemptionPolicy: immutable })),
  generation: 'spec',
  row: (object) => [
    object.metadata.name,
    object.value,
    object.globalDefault ?? false,
    age(object),
    object.preemptionPolicy ?? '',
  ],
});
