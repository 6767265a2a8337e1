import {
  canonicalQuantity,
  compareQuantities,
  dns1123Label,
  isQuantity,
  qualifiedName,
  quantityMilli,
  quantityValue,
} from '@kubernode/machinery';
import type { ResourceRequirements } from '../../generated/types/core/v1.ts';
import { amountOf } from '../../quota/resources.ts';
import type { Quantity } from '../../scalars.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../cause.ts';
import { all, fields, foundIn, join, type Rule, type RuleWithin } from '../rule.ts';

export type ResourceList = Readonly<Record<string, Quantity>>;

const ofContainers = new Set(['cpu', 'memory', 'ephemeral-storage']);
const integerResources = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const isHugePages = (name: string) => name.startsWith('hugepages-');

/** A resource of Kubernetes itself: no domain, or one below kubernetes.io. */
export const isNativeResource = (name: string) => !name.includes('/') || name.includes('kubernetes.io/');

/** A resource that a device plugin brings: counted in wholes and never overcommitted. */
const isExtendedResource = (name: string) =>
  !isNativeResource(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;

/** Whether more of it may be promised than there is. */
export const canOvercommit = (name: string) => isNativeResource(name) && !isHugePages(name);

/** Not below zero. */
export const nonNegativeQuantity: Rule<Quantity> = (value, path) =>
  compareQuantities(value, '0') < 0 ? [invalid(path, String(value), 'must be greater than or equal to 0')] : [];

/** A quantity of this resource: not negative, and whole where the resource cannot be divided. */
export function resourceQuantity(resource: string): Rule<Quantity> {
  const isInteger = integerResources.has(resource) || isExtendedResource(resource);
  return isInteger ? wholeQuantity : nonNegativeQuantity;
}

const wholeQuantity = all<Quantity>(nonNegativeQuantity, (value, path) =>
  quantityMilli(value) % 1000 === 0 ? [] : [invalid(path, String(value), 'must be an integer')],
);

/** What quotas count, without huge pages and those of domains. */
const quotaResources = new Set([
  ...ofContainers,
  ...[...ofContainers].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...integerResources,
]);

/** A resource without a domain that a quota can limit. */
export const isQuotaResource = (name: string) =>
  quotaResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');

/** Resources without a domain that there are. */
const isStandardResource = (name: string) => name === 'storage' || isQuotaResource(name);

const isStandardContainerResource = (name: string) => ofContainers.has(name) || isHugePages(name);

/** A resource's name: qualified, and a known one where it has no domain. */
export const resourceName: Rule<string> = (name, path) => {
  const found = qualifiedName(name).map((message) => invalid(path, name, message));
  if (found.length > 0 || name.includes('/') || isStandardResource(name)) return found;
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
};

/** A resource that a container may name: standard, huge pages or extended. */
export const containerResourceName: Rule<string> = (name, path) => {
  const found = [...resourceName(name, path)];
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name))
      found.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    found.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return found;
};

const podResources = ['cpu', 'hugepages-', 'memory'];

/** A resource that a pod as a whole may name. */
export const podResourceName: Rule<string> = (name, path) => {
  const found = resourceName(name, path);
  if (found.length > 0 || name === 'cpu' || name === 'memory' || isHugePages(name)) return found;
  return [notSupported(path, name, podResources)];
};

/** `resources` of a container. */
export function resourceRequirements(nameRule: Rule<string>): RuleWithin<ResourceRequirements, KnownClaims> {
  return all<ResourceRequirements, KnownClaims>(({ limits = {}, requests = {} }, path) => {
    let found = join(list(limits, `${path}.limits`, nameRule), list(requests, `${path}.requests`, nameRule));
    for (const name of Object.keys(requests)) found = join(found, withinLimit(name, requests[name]!, limits, path));
    return join(found, hugePagesNeedOthers(requests, limits, path));
  }, fields<ResourceRequirements, KnownClaims>({ claims }));
}

interface KnownClaims {
  /** Of the pod's resource claims. */
  readonly claimNames: ReadonlySet<string>;
}

export const containerResources = resourceRequirements(containerResourceName);

const noClaims: KnownClaims = { claimNames: new Set() };

/** What a pod takes beside its containers: amounts that a container could be limited to. */
export const overhead: Rule<ResourceList> = (limits, path) => containerResources({ limits }, path, undefined, noClaims);

function list(resources: ResourceList, path: string, nameRule: Rule<string>): readonly FieldCause[] {
  let found: readonly FieldCause[] = [];
  for (const name of Object.keys(resources)) {
    const quantity = resources[name]!;
    const at = `${path}[${name}]`;
    found = join(join(found, nameRule(name, at)), resourceQuantity(name)(quantity, at));
    if (isHugePages(name) && !isInPages(name, quantity)) {
      const detail = `${quantity} is not positive integer multiple of ${name}`;
      found = join(found, [invalid(at, String(quantity), detail)]);
    }
  }
  return found;
}

/** Whether an amount is a whole number of pages, whose size is in the name: `hugepages-2Mi`. */
function isInPages(name: string, quantity: Quantity): boolean {
  const size = name.slice('hugepages-'.length);
  if (!isQuantity(size) || compareQuantities(size, '0') <= 0 || quantityMilli(size) % 1000 !== 0) return false;
  return quantityValue(quantity) % quantityValue(size) === 0;
}

function withinLimit(name: string, request: Quantity, limits: ResourceList, path: string): FieldCause[] {
  const limit = amountOf(limits, name);
  const at = `${path}.requests`;
  if (limit === undefined) {
    return canOvercommit(name)
      ? []
      : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  if (!canOvercommit(name) && compareQuantities(request, limit) !== 0) {
    return [invalid(at, String(request), `must be equal to ${name} limit of ${limit}`)];
  }
  return compareQuantities(request, limit) > 0
    ? [invalid(at, String(request), `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function hugePagesNeedOthers(requests: ResourceList, limits: ResourceList, path: string): FieldCause[] {
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (!names.some(isHugePages) || names.includes('cpu') || names.includes('memory')) return [];
  return [forbidden(path, 'HugePages require cpu or memory')];
}

/** Claims of the pod, each once: as a whole, or request by request. */
function claims(
  list: NonNullable<ResourceRequirements['claims']>,
  path: string,
  _old: unknown,
  { claimNames }: KnownClaims,
): readonly FieldCause[] {
  const seen = new Set<string>();
  /** How many of what was seen is of a claim. */
  const countOf = new Map<string | undefined, number>();
  return foundIn(list, ({ name, request = '' }, index) => {
    const at = `${path}[${index}]`;
    if (name === '') return [required(at)];
    const found: FieldCause[] = [];
    if (seen.has(name)) found.push(duplicate(at, name));
    else {
      const key = request ? `${name}/${request}` : name;
      if (request) found.push(...dns1123Label(request).map((detail) => invalid(`${at}.request`, request, detail)));
      if (seen.has(key)) found.push(duplicate(at, key));
      else {
        const count = request ? 0 : (countOf.get(name) ?? 0);
        for (let other = 0; other < count; other += 1) found.push(duplicate(at, name));
        const [claim] = key.split('/');
        countOf.set(claim, (countOf.get(claim) ?? 0) + 1);
      }
      seen.add(key);
    }
    return claimNames.has(name) ? found : [...found, notFound(at, name)];
  });
}

/** A divisor's unit fits its resource: `1m` or `1` for cpu, `1`, `1k`, `1Ki` … for bytes. */
export function divisor(resource: string): Rule<Quantity> {
  const kind = resource.replace(/^(limits|requests)\./, '');
  if (!['cpu', 'memory', 'ephemeral-storage'].includes(kind) && !kind.startsWith('hugepages-')) return () => [];
  const units = resource.endsWith('cpu')
    ? ['1m', '1']
    : ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
  const what = resource.endsWith('cpu')
    ? 'cpu'
    : resource.endsWith('memory') || resource.includes('hugepages-')
      ? 'memory'
      : 'local ephemeral storage';
  return (value, path) => {
    if (compareQuantities(value, '0') === 0 || units.includes(canonicalQuantity(value))) return [];
    return [
      invalid(`${path}`, resource, `only divisor's values ${units.join(', ')} are supported with the ${what} resource`),
    ];
  };
}
