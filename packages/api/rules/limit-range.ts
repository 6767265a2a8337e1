import { compareQuantities } from '@kubernode/machinery';
import type { LimitRange, LimitRangeItem } from '../generated/types/core/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { duplicate, forbidden, invalid, required as requiredCause } from './cause.ts';
import { containerResourceName, resourceName, type ResourceList, resourceQuantity } from './resources.ts';
import type { Rule } from './rule.ts';

const types = ['Container', 'PersistentVolumeClaim', 'Pod'];

/** A maximum is also what a container gets, and a default limit what it asks for, unless said otherwise. */
export function limitDefaults(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  if (Object.keys(item.default).length === 0) delete item.default;
  if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
}

/** One item a type; within it min ≤ defaultRequest ≤ default ≤ max. */
export const limitRangeRules: Rule<LimitRange> = ({ spec }) => {
  const seen = new Set<string>();
  return (spec.limits ?? []).flatMap((item, index) => {
    const path = `spec.limits[${index}]`;
    const found = typeCauses(item, path);
    if (seen.has(item.type)) found.push(duplicate(`${path}.type`, item.type));
    seen.add(item.type);
    return [...found, ...amounts(item, path), ...order(item, path)];
  });
};

function typeCauses({ type, max, min, default: limits, defaultRequest }: LimitRangeItem, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  const at = `${path}.type`;
  if (!types.includes(type)) found.push(...(type.includes('/') ? [] : resourceName(type, at)));
  if (!type) found.push(invalid(at, type, 'must be a standard limit type or fully qualified'));
  if (type === 'Pod') {
    if (limits) found.push(forbidden(`${path}.default`, "may not be specified when `type` is 'Pod'"));
    if (defaultRequest) found.push(forbidden(`${path}.defaultRequest`, "may not be specified when `type` is 'Pod'"));
  }
  if (type === 'PersistentVolumeClaim' && !max?.['storage'] && !min?.['storage']) {
    found.push(
      requiredCause(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
    );
  }
  return found;
}

const listNames = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function amounts(item: LimitRangeItem, path: string): FieldCause[] {
  const nameRule = item.type === 'Container' || item.type === 'Pod' ? containerResourceName : resourceName;
  return listNames.flatMap((list) =>
    Object.entries(item[list] ?? {}).flatMap(([name, quantity]) => {
      const at = `${path}.${list}[${name}]`;
      const messages = nameRule(name, at);
      return [...messages, ...(list === 'maxLimitRequestRatio' ? [] : resourceQuantity(name)(quantity, at))];
    }),
  );
}

/** Pairs of lists, the first of which may not be above the second. */
const orders = [
  ['min', 'max', 'min'],
  ['min', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'max', 'defaultRequest'],
  ['defaultRequest', 'default', 'defaultRequest'],
  ['min', 'default', 'default'],
  ['default', 'max', 'default'],
] as const;

function order(item: LimitRangeItem, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  for (const [low, high, at] of orders) {
    const lows: ResourceList = item[low] ?? {};
    const highs: ResourceList = item[high] ?? {};
    for (const [name, quantity] of Object.entries(lows)) {
      const limit = highs[name];
      if (limit === undefined || compareQuantities(quantity, limit) <= 0) continue;
      const detail = `${low} value ${quantity} is greater than ${high} value ${limit}`;
      found.push(invalid(`${path}.${at}[${name}]`, String(item[at]?.[name]), detail));
    }
  }
  for (const [name, ratio] of Object.entries(item.maxLimitRequestRatio ?? {})) {
    if (compareQuantities(ratio, '1') >= 0) continue;
    found.push(invalid(`${path}.maxLimitRequestRatio[${name}]`, String(ratio), `ratio ${ratio} is less than 1`));
  }
  return found;
}
