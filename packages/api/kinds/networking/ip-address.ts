import { canonicalIp, dns1123Subdomain } from '@kubernode/machinery';
import { fields, inOrder, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { IPAddress } from '../../generated/types/networking/v1.ts';
import type { ParentReference } from '../../generated/types/networking/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const parentRef = inOrder<ParentReference>([
  required as Rule<ParentReference>,
  fields<ParentReference>({ resource: required, name: required, group: format(dns1123Subdomain) }),
]);

export const ipAddress = define(IPAddress, {
  validateName: (name) => (canonicalIp(name) === name ? [] : ['must be a valid IP address in canonical form']),
  validate: validate<IPAddress>(fields<IPAddress>({ spec: fields<IPAddress['spec']>({ parentRef }) })),
  validateUpdate: validateUpdate<IPAddress>(
    fields<IPAddress>({ spec: fields<IPAddress['spec']>({ parentRef: immutable }) }),
  ),
  generation: 'none',
  row: (object, nowMs) => [object.metadata.name, parentCell(object.spec.parentRef), age(object, nowMs)],
});

/** `services/default/kubernetes`, with the group in front where there is one. */
function parentCell({ group, resource, namespace, name }: ParentReference = {}): string {
  const path = [resource, namespace, name].filter(Boolean).join('/');
  return group ? `${resource}.${group}/${[namespace, name].filter(Boolean).join('/')}` : path;
}
