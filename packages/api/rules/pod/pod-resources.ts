import { addQuantities, compareQuantities } from '@kubernode/machinery';
import type { Container, Pod, PodSpec } from '../../generated/types/core/v1.ts';
import type { Quantity } from '../../scalars.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid } from '../cause.ts';
import { canOvercommit, podResourceName, resourceRequirements } from '../resources/resources.ts';
import type { Rule } from '../rule.ts';

type Amounts = Record<string, Quantity>;
type Kind = 'limits' | 'requests';

const isHugePages = (name: string) => name.startsWith('hugepages-');
const requirements = resourceRequirements(podResourceName);
const isOfPods = (name: string) => name === 'cpu' || name === 'memory' || isHugePages(name);

/** Resources of the pod as a whole: enough for all its containers, and no less than the limit of any. */
export const podResources: Rule<PodSpec> = (spec, path) => {
  const { resources } = spec;
  const at = `${path}.resources`;
  if (!resources) return [];
  if (spec.os?.name === 'windows') return [forbidden(at, 'may not be set for a windows pod')];
  const { claims } = resources;
  const limits = Object.assign(noAmounts(), resources.limits);
  const requests = Object.assign(noAmounts(), resources.requests);
  const claimNames = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const found: FieldCause[] = [];
  if (claims) found.push(forbidden(`${at}.claims`, 'claims may not be set for Resources at pod-level'));
  found.push(...requirements(resources, at, undefined, { claimNames }));
  for (const [name, amount] of Object.entries(aggregate(spec, 'requests'))) {
    if (exceeds(amount, requests[name])) {
      const detail = `must be greater than or equal to aggregate container requests of ${amount}`;
      found.push(invalid(`${at}.requests[${name}]`, requests[name], detail));
    }
  }
  for (const [name, amount] of Object.entries(aggregate(spec, 'limits'))) {
    if (isHugePages(name) && exceeds(amount, limits[name])) {
      const detail = `must be greater than or equal to aggregate container limits of ${amount}`;
      found.push(invalid(`${at}.limits[${name}]`, limits[name], detail));
    }
  }
  spec.containers.forEach((container, index) => {
    for (const [name, amount] of Object.entries(container.resources?.limits ?? {})) {
      const detail = `must be less than or equal to pod limits of ${limits[name]}`;
      if (exceeds(amount, limits[name]))
        found.push(invalid(`${at}.containers[${index}][${name}].limits`, amount, detail));
    }
  });
  return found;
};

const exceeds = (amount: Quantity, bound: Quantity | undefined) =>
  bound !== undefined && compareQuantities(amount, bound) > 0;

/** What a pod as a whole asks for, or is held to, where it says only some of it; its containers say the rest. */
export function podResourceDefaults({ spec }: Pod): void {
  const { resources } = spec;
  if (!resources || (isEmptyMap(resources.requests) && isEmptyMap(resources.limits))) return;
  const requests: Amounts = { ...resources.requests };
  const limits: Amounts = { ...resources.limits };
  const ofContainers = aggregate(spec, 'limits');
  for (const [name, amount] of Object.entries(ofContainers)) {
    if (isHugePages(name) && requests[name] === undefined) limits[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(aggregate(spec, 'requests'))) {
    if (isOfPods(name) && canOvercommit(name)) requests[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(limits)) if (isOfPods(name)) requests[name] ??= amount;
  const all: Container[] = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const [name, request] of Object.entries(requests)) {
    const amount = ofContainers[name];
    if (!isOfPods(name) || limits[name] !== undefined || amount === undefined) continue;
    if (all.every((container) => container.resources?.limits?.[name] !== undefined))
      limits[name] = compareQuantities(request, amount) > 0 ? request : amount;
  }
  if (!isEmptyMap(limits)) resources.limits = limits;
  if (!isEmptyMap(requests)) resources.requests = requests;
}

const isEmptyMap = (map: object | undefined) => Object.keys(map ?? {}).length === 0;

/** Inherits nothing: names are not judged yet, and one may be `__proto__`. */
const noAmounts = (): Amounts => Object.create(null) as Amounts;

/** What the containers ask for together: those that run for good all at once, the others before them one by one. */
function aggregate({ containers, initContainers = [] }: PodSpec, kind: Kind): Amounts {
  const main = noAmounts();
  for (const container of containers) add(main, container.resources?.[kind]);
  const sidecars = noAmounts();
  const start = noAmounts();
  for (const { restartPolicy, resources } of initContainers) {
    const own = noAmounts();
    if (restartPolicy === 'Always') {
      add(main, resources?.[kind]);
      add(sidecars, resources?.[kind]);
    } else add(own, resources?.[kind]);
    add(own, sidecars);
    raise(start, own);
  }
  raise(main, start);
  return main;
}

function add(sum: Amounts, amounts: Readonly<Amounts> = {}): void {
  for (const [name, amount] of Object.entries(amounts))
    sum[name] = sum[name] === undefined ? amount : addQuantities(sum[name], amount);
}

function raise(highest: Amounts, amounts: Readonly<Amounts>): void {
  for (const [name, amount] of Object.entries(amounts))
    if (highest[name] === undefined || compareQuantities(amount, highest[name]) > 0) highest[name] = amount;
}
