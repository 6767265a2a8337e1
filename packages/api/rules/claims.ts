import { compareQuantities, dns1123Subdomain } from '@kubernode/machinery';
import type { PersistentVolumeClaimSpec } from '../generated/types/core/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from './cause.ts';
import { fields, type Rule } from './rule.ts';
import { labelSelector } from './selector.ts';
import { format, oneOf } from './values.ts';

const accessModeNames = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** How a volume can be mounted; once-per-pod goes with no other. */
export const accessModes: Rule<readonly string[]> = (modes, path) => {
  const found = modes
    .filter((mode) => !accessModeNames.includes(mode))
    .map((mode) => notSupported(path, mode, accessModeNames));
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && accessModeNames.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    found.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return found;
};

/** A storage size, which is more than nothing. */
export const storageSize: Rule<string | number> = (size, path) =>
  compareQuantities(size, '0') > 0 ? [] : [invalid(path, String(size), 'must be greater than zero')];

interface Source {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

const dataSource: Rule<Source> = (source, path) => {
  const { apiGroup = '', kind, name } = source;
  const found: FieldCause[] = [];
  if (!name) found.push(requiredCause(`${path}.name`));
  if (!kind) found.push(requiredCause(`${path}.kind`));
  if (!apiGroup && kind !== 'PersistentVolumeClaim') found.push(invalid(path, kind, ''));
  if (apiGroup)
    found.push(...dns1123Subdomain(apiGroup).map((detail) => invalid(`${path}.apiGroup`, apiGroup, detail)));
  return found;
};

/** What a claim asks for (ValidatePersistentVolumeClaimSpec). */
export const claimSpec: Rule<Partial<PersistentVolumeClaimSpec>> = (spec, path) => {
  const found: FieldCause[] = [];
  const { accessModes: modes = [], resources } = spec;
  if (modes.length === 0) found.push(requiredCause(`${path}.accessModes`, 'at least 1 access mode is required'));
  else found.push(...accessModes(modes, `${path}.accessModes`));
  const size = resources?.requests?.['storage'];
  if (size === undefined) found.push(requiredCause(`${path}.resources[storage]`));
  else found.push(...storageSize(size, `${path}.resources[storage]`));
  return [...found, ...others(spec, path), ...sameSources(spec, path)];
};

/** The old and the new name of one thing; only the new one can name another namespace. */
function sameSources(
  { dataSource: source, dataSourceRef: reference }: Partial<PersistentVolumeClaimSpec>,
  path: string,
) {
  if (!source || !reference || reference.namespace) return [];
  const isSame =
    source.kind === reference.kind &&
    source.name === reference.name &&
    (source.apiGroup ?? '') === (reference.apiGroup ?? '');
  return isSame ? [] : [invalid(path, '', 'must match dataSourceRef')];
}

const others = fields<Partial<PersistentVolumeClaimSpec>>({
  selector: labelSelector,
  storageClassName: (name, path) => (name === '' ? [] : format(dns1123Subdomain)(name, path)),
  volumeMode: oneOf('Block', 'Filesystem'),
  volumeAttributesClassName: (name, path) => (name === '' ? [] : format(dns1123Subdomain)(name, path)),
  dataSource,
  dataSourceRef: dataSource,
});

/** What is filled in wherever a claim's spec stands. */
export function claimSpecDefaults(spec: PersistentVolumeClaimSpec | undefined): void {
  if (spec) spec.volumeMode ??= 'Filesystem';
}
