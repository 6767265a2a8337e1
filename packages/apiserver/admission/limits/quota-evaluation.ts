import { addLists, quotaScopesMatch, quotaUsageOf, type ResourceList } from '@kubernode/api';
import type { Pod, ResourceQuota } from '@kubernode/api/core/v1';
import { compareQuantities, subtractQuantities } from '@kubernode/machinery';
import type { AdmissionRequest } from '../../seams.ts';
import { isAbout, refuse } from '../refuse.ts';

/** Resources whose updates can take more than before; of all others only creation counts. */
const growing = new Set(['services', 'persistentvolumeclaims']);
/** What is not stored, and what was never counted. */
const ignored = new Set(['', 'authentication.k8s.io', 'authorization.k8s.io']);
const ignoredResources = new Set(
  `bindings componentstatuses events tokenreviews selfsubjectreviews subjectaccessreviews selfsubjectaccessreviews
localsubjectaccessreviews selfsubjectrulesreviews`.split(/\s+/),
);

/** Whether quotas have a say in a request. */
export function isCounted(request: AdmissionRequest): boolean {
  const { operation, attributes, object, oldObject } = request;
  const { resource, subresource, group } = attributes;
  if (ignoredResources.has(resource) && (ignored.has(group) || (group === 'events.k8s.io' && resource === 'events')))
    return false;
  if (operation === 'CREATE') return subresource === '';
  if (operation !== 'UPDATE' || group !== '') return false;
  if (subresource !== '') return isAbout(request, 'pods', '', 'resize') || isModified(request);
  if (resource === 'pods') return endsInTime(object as Pod) !== endsInTime(oldObject as Pod);
  return growing.has(resource);
}

const endsInTime = ({ spec }: Pod): boolean => typeof spec.activeDeadlineSeconds === 'number';

/** A claim's status may say that it got more than it asks for. */
function isModified(request: AdmissionRequest): boolean {
  if (!isAbout(request, 'persistentvolumeclaims', '', 'status')) return false;
  const { usage, before } = usageChange(request);
  return Object.keys({ ...usage, ...before }).some(
    (name) => compareQuantities(usage[name] ?? 0, before[name] ?? 0) > 0,
  );
}

/** What the object takes now, and what it took before. */
export interface UsageChange {
  readonly usage: ResourceList;
  readonly before: ResourceList;
}

export function usageChange({ object, oldObject, attributes: { group, resource } }: AdmissionRequest): UsageChange {
  return {
    usage: quotaUsageOf(group, resource, object!),
    before: oldObject ? quotaUsageOf(group, resource, oldObject) : {},
  };
}

/** A quota that has a say in a request. */
export interface Pertinent {
  readonly quota: ResourceQuota;
  /** What it limits of such objects, by the names in `hard`. */
  readonly restricted: readonly string[];
  /** What the request takes more than before, without zeros. */
  readonly delta: ResourceList;
}

/** undefined where the quota is not for such objects. Throws where they lack what they need, or nobody has counted yet. */
export function pertinent(request: AdmissionRequest, quota: ResourceQuota, change: UsageChange): Pertinent | undefined {
  const { group, resource } = request.attributes;
  if (!quotaScopesMatch(quota, resource, request.object!)) return undefined;
  const { hard = {}, used = {} } = quota.status ?? {};
  const restricted = Object.keys(hard).filter((name) => concerns(name, group, resource));
  if (restricted.length === 0) return undefined;
  const { name } = quota.metadata;
  if (resource === 'pods' && group === '') {
    const missing = missingResources(request.object as Pod, restricted);
    if (missing) throw refuse(request, `failed quota: ${name}: must specify ${missing}`);
  }
  if (restricted.some((key) => used[key] === undefined)) {
    const shown = restricted.toSorted().join(',');
    throw refuse(request, `status unknown for quota: ${name}, resources: ${shown}`);
  }
  const wasCounted = request.oldObject !== undefined && quotaScopesMatch(quota, resource, request.oldObject);
  return { quota, restricted, delta: increase(change.usage, wasCounted ? change.before : {}, restricted) };
}

/** What the quota's `used` becomes; undefined where nothing changes. Throws where it does not fit. */
export function booked(request: AdmissionRequest, { quota, delta }: Pertinent): ResourceList | undefined {
  if (Object.keys(delta).length === 0) return undefined;
  const { hard = {}, used = {} } = quota.status ?? {};
  const sum = addLists(used, delta);
  // What a status says has happened already.
  if (request.attributes.subresource === 'status') return sum;
  const exceeded = Object.keys(delta).filter((key) => compareQuantities(sum[key]!, hard[key]!) > 0);
  if (exceeded.length === 0) return sum;
  const show = (list: ResourceList) =>
    exceeded
      .sort()
      .map((key) => `${key}=${list[key]}`)
      .join(',');
  const amounts = `requested: ${show(delta)}, used: ${show(used)}, limited: ${show(hard)}`;
  throw refuse(request, `exceeded quota: ${quota.metadata.name}, ${amounts}`);
}

/** Whether objects of a resource can take anything of what a quota limits under this name. */
function concerns(name: string, group: string, resource: string): boolean {
  if (name === `count/${group ? `${resource}.${group}` : resource}`) return true;
  if (group !== '') return false;
  if (resource === 'services') return name === 'services' || name.startsWith('services.');
  if (resource === 'persistentvolumeclaims')
    return name === resource || name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/');
  if (resource !== 'pods') return name === resource;
  if (name === 'requests.storage' || name.startsWith('count/') || name.includes('.storageclass.')) return false;
  return /^(pods|cpu|memory|ephemeral-storage)$|^(requests|limits)\.|^hugepages-/.test(name);
}

/** What is taken more than before, without zeros; giving back is the controller's to book. */
export function increase(usage: ResourceList, before: ResourceList, names: readonly string[]): ResourceList {
  const delta: Record<string, string | number> = {};
  for (const name of names) {
    const [now, was] = [usage[name], before[name]];
    if (now === undefined) continue;
    const more = was === undefined ? now : subtractQuantities(now, was);
    if (compareQuantities(more, 0) > 0) delta[name] = more;
  }
  return delta;
}

/** `requests.cpu for: a,b; limits.memory for: a`: computed resources that the quota limits must be given by everyone. */
function missingResources(pod: Pod, restricted: readonly string[]): string {
  if (Object.keys({ ...pod.spec.resources?.requests, ...pod.spec.resources?.limits }).length > 0) return '';
  const wanted = restricted.filter((name) => /^((requests|limits)\.)?(cpu|memory)$/.test(name)).sort();
  const lacking = new Map<string, string[]>();
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    for (const name of wanted) {
      const what = name.startsWith('limits.') ? 'limits' : 'requests';
      const key = name.replace(/^(requests|limits)\./, '');
      const amount = container.resources?.[what]?.[key];
      if (amount === undefined) lacking.set(name, [...(lacking.get(name) ?? []), container.name]);
    }
  }
  return [...lacking].map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`).join('; ');
}
