import { canonicalIpAddress, dns1123Subdomain, pathSegmentName } from '@kubernode/machinery';
import { fields, inOrder, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { IPAddress } from '../../generated/types/networking/v1.ts';
import type { ParentReference } from '../../generated/types/networking/v1.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const parentRef = inOrder<ParentReference>([
  required as Rule<ParentReference>,
  fields<ParentReference>({
    group: (value, path) => (value === '' ? [] : format(dns1123Subdomain)(value, path)),
    resource: [required as Rule<string>, format(pathSegmentName)],
    name: [required as Rule<string>, format(pathSegmentName)],
    namespace: (value, path) => (value === '' ? [] : format(pathSegmentName)(value, path)),
  }),
]);

export const ipAddress = define(IPAddress, {
  validateName: canonicalIpAddress,
  validate: validate<IPAddress>(fields<IPAddress>({ spec: fields<IPAddress['spec']>({ parentRef }) })),
  validateUpdate: validateUpdate<IPAddress>(
    fields<IPAddress>({ spec: fields<IPAddress['spec']>({ parentRef: immutable }) }),
  ),
  generation: 'none',
  rechecksName: true,
  row: (object) => [object.metadata.name, parentCell(object.spec.parentRef), age(object)],
});

/** `services/default/kubernetes`, with the group in front where there is one. */
function parentCell(parent: ParentReference | undefined): string {
  if (!parent) return noneCell;
  const { group, resource, namespace, name } = parent;
  const path = [resource, namespace, name].filter(Boolean).join('/');
  return group ? `${resource}.${group}/${[namespace, name].filter(Boolean).join('/')}` : path;
}
