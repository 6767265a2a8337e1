import { compareQuantities, qualifiedName, quantityMilli } from '@kubernode/machinery';
import { amountOf } from '../../quota/resources.ts';
import type { LimitRange, LimitRangeItem } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, required as requiredCause } from '../cause.ts';
import type { Quantity } from '../../scalars.ts';
import { canOvercommit, containerResourceName, resourceName, type ResourceList } from './resources.ts';
import type { Rule } from '../rule.ts';

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

function typeCauses(item: LimitRangeItem, path: string): FieldCause[] {
  const { type, max, min, default: limits, defaultRequest } = item;
  const at = `${path}.type`;
  const found: FieldCause[] = qualifiedName(type).map((detail) => invalid(at, type, detail));
  if (found.length === 0 && !type.includes('/') && !types.includes(type))
    found.push(invalid(at, type, 'must be a standard limit type or fully qualified'));
  if (type === 'Pod') {
    const detail = "may not be specified when `type` is 'Pod'";
    if (!isEmptyList(limits)) found.push(forbidden(`${path}.default`, detail));
    if (!isEmptyList(defaultRequest)) found.push(forbidden(`${path}.defaultRequest`, detail));
  }
  if (type === 'PersistentVolumeClaim' && max?.['storage'] === undefined && min?.['storage'] === undefined) {
    found.push(
      requiredCause(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
    );
  }
  return found;
}

const isEmptyList = (list: ResourceList | undefined) => Object.keys(list ?? {}).length === 0;

/** The lists that count: defaults are for what is in a pod. */
const listsOf = ({ type }: LimitRangeItem) =>
  type === 'Pod'
    ? (['max', 'min', 'maxLimitRequestRatio'] as const)
    : (['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const);

function amounts(item: LimitRangeItem, path: string): FieldCause[] {
  const nameRule = item.type === 'Container' || item.type === 'Pod' ? containerResourceName : resourceName;
  return listsOf(item).flatMap((list) =>
    Object.keys(item[list] ?? {}).flatMap((name) => nameRule(name, `${path}.${list}[${name}]`)),
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
  const counts = listsOf(item) as readonly string[];
  for (const [low, high, at] of orders) {
    if (!counts.includes(low) || !counts.includes(high)) continue;
    const lows: ResourceList = item[low] ?? {};
    const highs: ResourceList = item[high] ?? {};
    for (const [name, quantity] of Object.entries(lows)) {
      const limit = amountOf(highs, name);
      if (limit === undefined || compareQuantities(quantity, limit) <= 0) continue;
      const detail = `${words[low]} value ${quantity} is greater than ${words[high]} value ${limit}`;
      found.push(invalid(`${path}.${at}[${name}]`, String(amountOf(item[at], name)), detail));
    }
  }
  for (const [name, ratio] of Object.entries(item.maxLimitRequestRatio ?? {})) {
    found.push(
      ...ratioCauses(
        ratio,
        amountOf(item.min, name),
        amountOf(item.max, name),
        `${path}.maxLimitRequestRatio[${name}]`,
      ),
    );
  }
  if (item.type !== 'Pod') found.push(...notOvercommitted(item, path));
  return found;
}

const words = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const;

function ratioCauses(ratio: Quantity, min: Quantity | undefined, max: Quantity | undefined, at: string): FieldCause[] {
  const found: FieldCause[] = [];
  if (compareQuantities(ratio, '1') < 0) found.push(invalid(at, String(ratio), `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return found;
  const limit = quantityMilli(max) / quantityMilli(min);
  if (quantityMilli(ratio) / 1000 > limit)
    found.push(invalid(at, String(ratio), `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  return found;
}

/** What cannot be overcommitted is asked for in the amount that it is limited to. */
function notOvercommitted({ default: limits = {}, defaultRequest = {} }: LimitRangeItem, path: string): FieldCause[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const request = amountOf(defaultRequest, name);
    if (canOvercommit(name) || request === undefined || compareQuantities(limit, request) === 0) return [];
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    return [invalid(`${path}.defaultRequest[${name}]`, String(request), detail)];
  });
}
