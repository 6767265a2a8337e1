import type { User } from '@kubernode/api';
import type { FlowSchema } from '@kubernode/api/flowcontrol/v1';
import type { Attributes, ClusterState } from './seams.ts';

const group = 'flowcontrol.apiserver.k8s.io';

/** Which FlowSchema a request belongs to; the headers that tell the client. */
export interface FlowControl {
  headers(user: User, attributes: Attributes): Readonly<Record<string, string>>;
}

interface Schema {
  readonly spec: FlowSchema['spec'];
  readonly headers: Readonly<Record<string, string>>;
}

const none: Readonly<Record<string, string>> = {};

/** Streams that last are not counted (BasicLongRunningRequestCheck). */
const longRunning: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Sorts requests by the cluster's FlowSchemas (KEP-1040). Nothing is queued: seats are not limited. */
export function createFlowControl(state: ClusterState): FlowControl {
  let schemas: readonly Schema[] | undefined;
  const forget = () => {
    schemas = undefined;
  };
  state.onChange(group, 'flowschemas', forget);
  state.onChange(group, 'prioritylevelconfigurations', forget);
  return {
    headers(user, attributes) {
      if (longRunning.has(attributes.subresource)) return none;
      schemas ??= readSchemas(state);
      return schemas.find(({ spec }) => matches(spec, user, attributes))?.headers ?? none;
    },
  };
}

function readSchemas(state: ClusterState): Schema[] {
  const schemas = (state.list(group, 'flowschemas') as unknown as FlowSchema[]).toSorted(
    (a, b) =>
      (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  return schemas.map(({ spec, metadata }) => {
    const level = state.get(group, 'prioritylevelconfigurations', spec.priorityLevelConfiguration.name);
    const headers = {
      'x-kubernetes-pf-flowschema-uid': metadata.uid ?? '',
      'x-kubernetes-pf-prioritylevel-uid': level?.metadata.uid ?? '',
    };
    return { spec, headers };
  });
}

function matches({ rules }: FlowSchema['spec'], user: User, attributes: Attributes): boolean {
  return (rules ?? []).some(
    (rule) =>
      rule.subjects.some((subject) => isSubject(subject, user)) &&
      (attributes.resource
        ? (rule.resourceRules ?? []).some((resourceRule) => isResource(resourceRule, attributes))
        : (rule.nonResourceRules ?? []).some((pathRule) => isPath(pathRule, attributes))),
  );
}

type Rule = NonNullable<FlowSchema['spec']['rules']>[number];

function isSubject(subject: Rule['subjects'][number], { name, groups }: User): boolean {
  if (subject.kind === 'User') return subject.user?.name === '*' || subject.user?.name === name;
  if (subject.kind === 'Group') return subject.group?.name === '*' || groups.includes(subject.group?.name ?? '');
  const { namespace, name: account } = subject.serviceAccount ?? { namespace: '', name: '' };
  const prefix = `system:serviceaccount:${namespace}:`;
  return account === '*' ? name.startsWith(prefix) : name === prefix + account;
}

const has = (values: readonly string[] | undefined, value: string) =>
  values !== undefined && (values.includes('*') || values.includes(value));

function isResource(rule: NonNullable<Rule['resourceRules']>[number], attributes: Attributes): boolean {
  const resource = attributes.subresource ? `${attributes.resource}/${attributes.subresource}` : attributes.resource;
  const inScope = attributes.namespace ? has(rule.namespaces, attributes.namespace) : rule.clusterScope === true;
  return (
    inScope &&
    has(rule.verbs, attributes.verb) &&
    has(rule.apiGroups, attributes.group) &&
    has(rule.resources, resource)
  );
}

function isPath(
  { verbs, nonResourceURLs }: NonNullable<Rule['nonResourceRules']>[number],
  attributes: Attributes,
): boolean {
  if (!has(verbs, attributes.verb)) return false;
  return nonResourceURLs.some((url) =>
    url.endsWith('*') ? attributes.path.startsWith(url.slice(0, -1)) : url === attributes.path,
  );
}
