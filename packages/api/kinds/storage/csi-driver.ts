import { deepEqual } from '@kubernode/machinery';
import { CSIDriver, type CSIDriverSpec, type TokenRequest } from '../../generated/types/storage/v1.ts';
import { duplicate, invalid, notSupported, required } from '../../rules/cause.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, noneCell, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycles = ['Persistent', 'Ephemeral'];
const updatePeriodSecondsMin = 10;
const expirationSecondsMin = 600;
const expirationSecondsMax = 2 ** 32;

/** Upstream calls the first of them by a name of its own. */
const flags = [
  ['attachRequired', 'attachedRequired'],
  ['podInfoOnMount', 'podInfoOnMount'],
  ['storageCapacity', 'storageCapacity'],
  ['seLinuxMount', 'seLinuxMount'],
  ['preventPodSchedulingIfMissing', 'preventPodSchedulingIfMissing'],
] as const;

function specCauses(spec: CSIDriverSpec): readonly FieldCause[] {
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [] } = spec;
  const found: FieldCause[] = flags.flatMap(([name, path]) =>
    spec[name] === undefined ? [required(`spec.${path}`)] : [],
  );
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy))
    found.push(notSupported('spec.fsGroupPolicy', fsGroupPolicy, groupPolicies));
  found.push(...tokenCauses(tokenRequests));
  const unknown = volumeLifecycleModes.filter((mode) => !lifecycles.includes(mode));
  found.push(...unknown.map((mode) => notSupported('spec.volumeLifecycleModes', mode, lifecycles)));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < updatePeriodSecondsMin) {
    const detail = `must be greater than or equal to ${updatePeriodSecondsMin} seconds`;
    found.push(invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, detail));
  }
  if (spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    found.push(invalid('spec.serviceAccountTokenInSecrets', spec.serviceAccountTokenInSecrets, detail));
  }
  return found;
}

/** One token for each audience, for ten minutes at least. */
function tokenCauses(requests: readonly TokenRequest[]): readonly FieldCause[] {
  const seen = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const path = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) return [duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const wrong = (detail: string) => [invalid(`${path}.expirationSeconds`, seconds, detail)];
    if (seconds === undefined) return [];
    if (seconds < expirationSecondsMin) return wrong('may not specify a duration less than 10 minutes');
    return seconds > expirationSecondsMax ? wrong('may not specify a duration larger than 2^32 seconds') : [];
  });
}

function changes({ spec }: CSIDriver, { spec: old }: CSIDriver): readonly FieldCause[] {
  const changed = (path: string, value: unknown, before: unknown) =>
    deepEqual(value, before) ? [] : [invalid(path, value, 'field is immutable')];
  return [
    ...changed('spec.attachedRequired', spec.attachRequired, old.attachRequired),
    ...changed('spec.volumeLifecycleModes', spec.volumeLifecycleModes, old.volumeLifecycleModes),
  ];
}

const inSecrets =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDriver = define(CSIDriver, {
  defaults({ spec }) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
    spec.preventPodSchedulingIfMissing ??= false;
  },
  // A new one has no generation; changes are counted all the same.
  prepareForUpdate(object, old) {
    if (!deepEqual(object.spec, old.spec)) object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec }) => specCauses(spec),
  validateUpdate: changes,
  warnings: ({ spec }, old) =>
    spec.tokenRequests?.length &&
    spec.serviceAccountTokenInSecrets === undefined &&
    !(old && deepEqual(spec.tokenRequests, old.spec.tokenRequests))
      ? [inSecrets]
      : [],
  generation: 'none',
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    object.spec.attachRequired ?? true,
    object.spec.podInfoOnMount ?? false,
    object.spec.storageCapacity ?? false,
    (object.spec.tokenRequests ?? []).map(({ audience }) => audience).join(',') || unsetCell,
    object.spec.requiresRepublish ?? false,
    (object.spec.volumeLifecycleModes ?? []).join(',') || noneCell,
    age(object),
  ],
});
