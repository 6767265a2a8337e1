import { StorageVersionMigration } from '../../generated/types/storagemigration/v1.ts';
import { StorageVersionMigration as StorageVersionMigrationv1beta1 } from '../../generated/types/storagemigration/v1beta1.ts';
import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import { invalid, required } from '../../rules/cause.ts';
import { conditions } from '../../rules/conditions.ts';
import { immutable } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { defineVersions } from '../define.ts';

function resourceCauses({ spec }: StorageVersionMigration): readonly FieldCause[] {
  const { resource, group } = spec.resource;
  const joined = (path: string, value: string, details: readonly string[]) =>
    details.length > 0 ? [invalid(path, value, details.join(','))] : [];
  return [
    ...(resource
      ? joined('spec.resource.resource', resource, dns1035Label(resource))
      : [required('spec.resource.resource', 'resource is required to be set')]),
    ...(group ? joined('spec.resource.group', group, dns1123Subdomain(group)) : []),
  ];
}

/** A migration ends once, either way, and its version stays. */
function statusCauses({ status }: StorageVersionMigration, { status: old }: StorageVersionMigration) {
  const { resourceVersion: version = '', conditions: list = [] } = status;
  const found: FieldCause[] = [];
  const at = 'status.resourceVersion';
  if (version && !/^[1-9]\d*$/.test(version)) found.push(invalid(at, version, 'resource version is not well formed'));
  found.push(...conditions(list, 'status.conditions'));
  if (old.resourceVersion && old.resourceVersion !== version) found.push(invalid(at, version, 'field is immutable'));
  const wrong = (detail: string) => found.push(invalid('status.conditions', list, detail));
  const is = (of: typeof status, type: string) =>
    of.conditions?.find((condition) => condition.type === type)?.status === 'True';
  if (is(status, 'Succeeded') && is(status, 'Failed'))
    wrong('Both success and failed conditions cannot be true at the same time');
  if (is(old, 'Succeeded') && !is(status, 'Succeeded'))
    wrong('Success condition cannot be set to false once it is true');
  if (is(old, 'Failed') && !is(status, 'Failed')) wrong('Failed condition cannot be set to false once it is true');
  return found;
}

export const storageVersionMigration = defineVersions([StorageVersionMigration, StorageVersionMigrationv1beta1], {
  validate: resourceCauses,
  validateUpdate: (object, old) => immutable(object.spec, 'spec', old.spec),
  validateStatusUpdate: statusCauses,
  generation: 'none',
  unconditionalUpdate: false,
  rechecksName: true,
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.resource.group ? `${spec.resource.resource}.${spec.resource.group}` : spec.resource.resource,
    ['Succeeded', 'Failed', 'Running'].find((type) =>
      status.conditions?.some((condition) => condition.type === type && condition.status === 'True'),
    ) ?? 'Unknown',
  ],
});
