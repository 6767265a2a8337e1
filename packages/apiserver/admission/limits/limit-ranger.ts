import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import { compareQuantities, quantityMilli } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { podResources, type ResourceList } from '@kubernode/api';
import { created, isAbout, refuse } from '../refuse.ts';

/** Gives containers the defaults of the namespace's limit ranges, and holds pods and claims to their bounds. */
export function limitRanger(state: ClusterState): AdmissionPlugin {
  // One range after the other: what one has set is there for the next, and the first that refuses is heard.
  const rangesOf = (request: AdmissionRequest): LimitRangeItem[][] =>
    (state.list('', 'limitranges', request.attributes.namespace) as readonly LimitRange[])
      .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name))
      .map((range) => range.spec?.limits ?? []);
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (!pod) return;
      for (const items of rangesOf(request)) {
        setDefaults(
          pod,
          items.filter(({ type }) => type === 'Container'),
        );
      }
    },
    validate(request) {
      const violationsOf = judge(request);
      if (!violationsOf) return;
      for (const items of rangesOf(request)) {
        const errors = [...new Set(items.flatMap(violationsOf))];
        if (errors.length > 0) throw refuse(request, errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`);
      }
    },
  };
}

function setDefaults(pod: Pod, items: readonly LimitRangeItem[]): void {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const item of items) {
    Object.assign(requests, item.defaultRequest);
    Object.assign(limits, item.default);
  }
  const set: string[] = [];
  const fill = (container: Container, title: string) => {
    for (const [what, defaults] of [
      ['requests', requests],
      ['limits', limits],
    ] as const) {
      const resources = (container.resources ??= {});
      const names = Object.keys(defaults).filter((name) => resources[what]?.[name] === undefined);
      if (names.length === 0) continue;
      resources[what] = { ...resources[what], ...Object.fromEntries(names.map((name) => [name, defaults[name]!])) };
      set.push(`${names.sort().join(', ')} ${what.slice(0, -1)} for ${title} ${container.name}`);
    }
  };
  for (const container of pod.spec.containers) fill(container, 'container');
  for (const container of pod.spec.initContainers ?? []) fill(container, 'init container');
  if (set.length === 0) return;
  const text = `LimitRanger plugin set: ${set.join('; ')}`;
  // A new object: expressions that looked at the old one remember its keys.
  pod.metadata.annotations = { ...pod.metadata.annotations, 'kubernetes.io/limit-ranger': text };
}

/** What an item says against the request's object; undefined where it is not for limit ranges. */
function judge(request: AdmissionRequest): ((item: LimitRangeItem) => string[]) | undefined {
  const pod = created<Pod>(request, 'pods');
  if (pod) return (item) => podViolations(pod, item);
  const isClaim = isAbout(request, 'persistentvolumeclaims') && ['CREATE', 'UPDATE'].includes(request.operation);
  if (!isClaim || request.oldObject?.metadata.deletionTimestamp) return undefined;
  const requests = (request.object as PersistentVolumeClaim).spec.resources?.requests ?? {};
  return (item) => (item.type === 'PersistentVolumeClaim' ? claimViolations(item, requests) : []);
}

function claimViolations(item: LimitRangeItem, requests: ResourceList): string[] {
  return [
    ...Object.keys(item.min ?? {}).map((name) => belowMinimum(item, name, requests, {})),
    ...Object.keys(item.max ?? {}).map((name) => requestAboveMaximum(item, name, requests)),
  ].filter((error) => error !== undefined);
}

function podViolations(pod: Pod, item: LimitRangeItem): string[] {
  if (item.type === 'Container')
    return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap((container) =>
      boundViolations(item, container.resources?.requests ?? {}, container.resources?.limits ?? {}),
    );
  return item.type === 'Pod' ? boundViolations(item, podResources(pod, 'requests'), podResources(pod, 'limits')) : [];
}

function boundViolations(item: LimitRangeItem, requests: ResourceList, limits: ResourceList): string[] {
  return [
    ...Object.keys(item.min ?? {}).map((name) => belowMinimum(item, name, requests, limits)),
    ...Object.keys(item.max ?? {}).map((name) => aboveMaximum(item, name, requests, limits)),
    ...Object.keys(item.maxLimitRequestRatio ?? {}).map((name) => aboveRatio(item, name, requests, limits)),
  ].filter((error) => error !== undefined);
}

const exceeds = (amount: string | number | undefined, bound: string | number): boolean =>
  amount !== undefined && compareQuantities(amount, bound) > 0;

function belowMinimum({ min, type }: LimitRangeItem, name: string, requests: ResourceList, limits: ResourceList) {
  const bound = min![name]!;
  const [request, limit] = [requests[name], limits[name]];
  const what = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${what}.  No request is specified`;
  if (exceeds(bound, request)) return `${what}, but request is ${request}`;
  if (limit !== undefined && exceeds(bound, limit)) return `${what}, but limit is ${limit}`;
  return undefined;
}

function aboveMaximum({ max, type }: LimitRangeItem, name: string, requests: ResourceList, limits: ResourceList) {
  const bound = max![name]!;
  const [request, limit] = [requests[name], limits[name]];
  const what = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${what}.  No limit is specified`;
  if (exceeds(limit, bound)) return `${what}, but limit is ${limit}`;
  if (exceeds(request, bound)) return `${what}, but request is ${request}`;
  return undefined;
}

function requestAboveMaximum({ max, type }: LimitRangeItem, name: string, requests: ResourceList) {
  const bound = max![name]!;
  const request = requests[name];
  const what = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${what}.  No request is specified`;
  return exceeds(request, bound) ? `${what}, but request is ${request}` : undefined;
}

function aboveRatio(item: LimitRangeItem, name: string, requests: ResourceList, limits: ResourceList) {
  const bound = item.maxLimitRequestRatio![name]!;
  const request = quantityMilli(requests[name] ?? 0);
  const limit = quantityMilli(limits[name] ?? 0);
  const what = `${name} max limit to request ratio per ${item.type} is ${bound}`;
  if (request === 0) return `${what}, but no request is specified or request is 0`;
  if (limit === 0) return `${what}, but no limit is specified or limit is 0`;
  const ratio = limit / request;
  return ratio * 1000 > quantityMilli(bound) ? `${what}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
