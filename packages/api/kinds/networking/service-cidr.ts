import { canonicalCidr, parseCidr } from '@kubernode/machinery';
import { invalid, required } from '../../rules/cause.ts';
import type { FieldCause } from '../../status-error.ts';
import { ServiceCIDR } from '../../generated/types/networking/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const path = 'spec.cidrs';

/** One range, or one of each family. */
function ranges(cidrs: readonly string[]): FieldCause[] {
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(path, cidrs, 'may only hold up to 2 values')];
  const found = cidrs.flatMap((cidr, index) =>
    canonicalCidr(cidr).map((detail) => invalid(`${path}[${index}]`, cidr, detail)),
  );
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.family);
  if (first === undefined || first !== second) return found;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...found, invalid(path, cidrs, detail)];
}

/** A second family may be added to one; all else stays. */
function change(cidrs: readonly string[], before: readonly string[]): FieldCause[] {
  const isAdded = before.length === 1 && cidrs.length === 2;
  if (before.length !== cidrs.length && !isAdded) return [invalid(path, cidrs, 'field is immutable')];
  const found = before.flatMap((cidr, index) =>
    cidr === cidrs[index] ? [] : [invalid(`${path}[${index}]`, cidrs[index], 'field is immutable')],
  );
  return isAdded ? [...found, ...ranges(cidrs)] : found;
}

export const serviceCidr = define(ServiceCIDR, {
  validateCreate: ({ spec }) => ranges(spec.cidrs ?? []),
  validateUpdate: ({ spec }, { spec: old }) => change(spec.cidrs ?? [], old.cidrs ?? []),
  generation: 'none',
  row: (object) => [object.metadata.name, (object.spec.cidrs ?? []).join(','), age(object)],
});
