import {
  compareQuantities,
  dns1123Label,
  dns1123Subdomain,
  quantityMilli,
  canonicalQuantity,
} from '@kubernode/machinery';
import type { PersistentVolumeClaimSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { fields, type Rule } from '../rule.ts';
import { labelSelector } from '../selector.ts';
import { format, oneOf } from '../values.ts';

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

/** `anyGroup`: an older release let through what is no group, so what has one keeps it. */
const dataSource =
  (anyGroup: boolean): Rule<Source> =>
  (source, path) => {
    const { apiGroup = '', kind, name, namespace } = source;
    const found: FieldCause[] = [];
    if (!name) found.push(requiredCause(`${path}.name`));
    if (!kind) found.push(requiredCause(`${path}.kind`));
    if (!apiGroup && kind !== 'PersistentVolumeClaim')
      found.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
    if (apiGroup && !anyGroup)
      found.push(...dns1123Subdomain(apiGroup).map((detail) => invalid(`${path}.apiGroup`, apiGroup, detail)));
    if (namespace)
      found.push(...dns1123Label(namespace).map((detail) => invalid(`${path}.namespace`, namespace, detail)));
    return found;
  };

/** What a claim asks for (ValidatePersistentVolumeClaimSpec); `old` where it asked before. */
export const claimSpec: Rule<Partial<PersistentVolumeClaimSpec>> = (spec, path, old) => {
  const found: FieldCause[] = [];
  const { accessModes: modes = [], resources } = spec;
  if (modes.length === 0) found.push(requiredCause(`${path}.accessModes`, 'at least 1 access mode is required'));
  else found.push(...accessModes(modes, `${path}.accessModes`));
  const size = resources?.requests?.['storage'];
  if (size === undefined) found.push(requiredCause(`${path}.resources[storage]`));
  else found.push(...storageSize(size, `${path}.resources[storage]`));
  const anyGroup = old?.dataSource?.apiGroup !== undefined || old?.dataSourceRef?.apiGroup !== undefined;
  const source = dataSource(anyGroup);
  if (spec.dataSource) found.push(...source(spec.dataSource, `${path}.dataSource`));
  if (spec.dataSourceRef) found.push(...source(spec.dataSourceRef, `${path}.dataSourceRef`));
  return [...found, ...others(spec, path, old), ...sameSources(spec, path)];
};

/** The old and the new name of one thing; only the new one can name another namespace. */
function sameSources(
  { dataSource: source, dataSourceRef: reference }: Partial<PersistentVolumeClaimSpec>,
  path: string,
) {
  if (!source || !reference) return [];
  const at = `${path}.dataSource`;
  if (reference.namespace) return [invalid(path, at, 'may not be specified when dataSourceRef.namespace is specified')];
  const isSame =
    source.kind === reference.kind && source.name === reference.name && source.apiGroup === reference.apiGroup;
  return isSame ? [] : [invalid(path, at, 'must match dataSourceRef')];
}

const others = fields<Partial<PersistentVolumeClaimSpec>>({
  selector: labelSelector,
  storageClassName: (name, path) => (name === '' ? [] : format(dns1123Subdomain)(name, path)),
  volumeMode: oneOf('Block', 'Filesystem'),
  volumeAttributesClassName: (name, path) => (name === '' ? [] : format(dns1123Subdomain)(name, path)),
});

/** What is filled in wherever a claim's spec stands. */
export function claimSpecDefaults(spec: PersistentVolumeClaimSpec | undefined): void {
  if (spec) spec.volumeMode ??= 'Filesystem';
}

/** Bytes come in wholes (GetWarningsForPersistentVolumeClaimSpec). */
export function claimSpecWarnings(spec: Partial<PersistentVolumeClaimSpec> | undefined, path: string): string[] {
  return (['requests', 'limits'] as const).flatMap((name) => {
    const size = spec?.resources?.[name]?.['storage'];
    if (size === undefined || !hasFraction(size)) return [];
    const value = JSON.stringify(canonicalQuantity(size));
    return [`${path}.resources.${name}[storage]: fractional byte value ${value} is invalid, must be an integer`];
  });
}

/** Whether a quantity is no whole number, to a thousandth. */
const hasFraction = (size: string | number) => quantityMilli(size) % 1000 !== 0;
