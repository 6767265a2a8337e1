import type { Kind } from '@kubernode/api';
import type { PolicyRule } from '@kubernode/api/rbac/v1';
import type { ControllerDeclaration, WriteTarget } from './controller.ts';

const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'update', 'patch', 'delete'];

/** What a controller may need, as RBAC rules: read what it reconciles, watches and reads; write what it writes. */
export function permissionsOf<T>(declaration: ControllerDeclaration<T>): readonly PolicyRule[] {
  const { reconciles, watches = [], reads = [], writes = [] } = declaration;
  const verbs = new Map<
    string,
    { readonly kind: Kind<unknown>; readonly resource: string; readonly verbs: Set<string> }
  >();
  const allow = (kind: Kind<unknown>, resource: string, allowed: readonly string[]) => {
    const id = `${kind.group}/${resource}`;
    const rule = verbs.get(id) ?? { kind, resource, verbs: new Set<string>() };
    for (const verb of allowed) rule.verbs.add(verb);
    verbs.set(id, rule);
  };
  for (const kind of [reconciles, ...watches.map((watch) => watch.kind), ...reads]) allow(kind, kind.plural, readVerbs);
  for (const target of writes) {
    const [kind, subresource] = partsOf(target);
    if (subresource) allow(kind, `${kind.plural}/${subresource}`, ['create', 'update', 'patch']);
    else allow(kind, kind.plural, writeVerbs);
  }
  return [...verbs.values()].map((rule) => ({
    apiGroups: [rule.kind.group],
    resources: [rule.resource],
    verbs: [...rule.verbs],
  }));
}

function partsOf(target: WriteTarget): readonly [Kind<unknown>, string | undefined] {
  return 'subresource' in target ? [target.kind, target.subresource] : [target, undefined];
}
