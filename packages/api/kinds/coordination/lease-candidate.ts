import { configMapKey, deepEqual } from '@kubernode/machinery';
import { LeaseCandidate } from '../../generated/types/coordination/v1beta1.ts';
import { LeaseCandidate as LeaseCandidatev1alpha2 } from '../../generated/types/coordination/v1alpha2.ts';
import { invalid, required } from '../../rules/cause.ts';
import { leaseStrategy } from '../../rules/lease-strategy.ts';
import { compareVersions, parseVersion } from '../../rules/semantic-version.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

const zero = { numbers: [0, 0, 0], prerelease: [] };

function causes({ spec }: LeaseCandidate): readonly FieldCause[] {
  const { leaseName, binaryVersion, emulationVersion = '', strategy = '' } = spec;
  const found: FieldCause[] = leaseName ? [] : [required('spec.leaseName')];
  const emulated = emulationVersion ? parseVersion(emulationVersion) : zero;
  const binary = binaryVersion ? parseVersion(binaryVersion) : zero;
  const detail = 'must be a valid semantic version';
  if (!emulated) found.push(invalid('spec.emulationVersion', emulationVersion, detail));
  if (!binaryVersion) found.push(required('spec.binaryVersion'));
  else if (!binary) found.push(invalid('spec.binaryVersion', binaryVersion, detail));
  // What does not parse counts as 0.0.0, as upstream has it.
  if (binaryVersion && emulationVersion && compareVersions(binary ?? zero, emulated ?? zero) < 0)
    found.push(invalid('spec.binaryVersion', binaryVersion, 'must be greater than or equal to `emulationVersion`'));
  if (!strategy) return [...found, required('spec.strategy')];
  if (strategy === 'OldestEmulationVersion' && compareVersions(emulated ?? zero, zero) === 0) {
    const why = "must be specified when `strategy` is 'OldestEmulationVersion'";
    found.push(required('spec.emulationVersion', why));
  }
  return [...found, ...leaseStrategy(strategy, 'spec.strategy')];
}

export const leaseCandidate = defineVersions([LeaseCandidate, LeaseCandidatev1alpha2], {
  validateName: (name) => configMapKey(name),
  validate: causes,
  validateUpdate: ({ spec: { leaseName } }, { spec: old }) =>
    deepEqual(leaseName, old.leaseName) ? [] : [invalid('spec.leaseName', leaseName, 'field is immutable')],
  selectableFields: { 'spec.leaseName': ({ spec }) => spec.leaseName },
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    object.spec.leaseName,
    object.spec.binaryVersion,
    object.spec.emulationVersion ?? '',
    age(object),
  ],
});
