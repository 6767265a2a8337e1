import type { DownwardAPIVolumeFile, KeyToPath } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required as requiredCause } from '../cause.ts';
import { evenIfAbsent, fields, type Rule } from '../rule.ts';
import { between, required } from '../values.ts';
import { fieldRef, resourceFieldRef, volumeFields } from './env.ts';
import { localNonReservedPath } from './paths.ts';

const fileModeRange = between(0, 0o777);
/** Permissions of a file, as a number. */
export const fileMode: Rule<number> = (value, path) =>
  fileModeRange(value, path).map(() =>
    invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive'),
  );

/** As `fileMode`, for one that defaults always fill in. */
export const requiredMode: Rule<number> = evenIfAbsent((value: number | undefined, path) =>
  value === undefined ? [requiredCause(path)] : fileMode(value, path),
);

export const keyToPath = fields<KeyToPath>({
  key: required,
  path: [required as Rule<string>, localNonReservedPath],
  mode: fileMode,
});

const volumeField = fieldRef(volumeFields);
const containerResource = resourceFieldRef({ needsContainer: true });

/** A file of the downward API; its causes are at the volume, as upstream's. */
export const downwardFile: Rule<DownwardAPIVolumeFile> = (file, path) => {
  const { path: filePath, fieldRef: field, resourceFieldRef: resource, mode } = file;
  const found: FieldCause[] = [];
  if (!filePath) found.push(requiredCause(`${path}.path`));
  found.push(...localNonReservedPath(filePath, `${path}.path`));
  if (field) {
    found.push(...volumeField(field, `${path}.fieldRef`));
    if (resource)
      found.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resource) {
    found.push(...containerResource(resource, `${path}.resourceFieldRef`));
  } else found.push(requiredCause(path, 'one of fieldRef and resourceFieldRef is required'));
  if (mode !== undefined) found.push(...fileMode(mode, `${path}.mode`));
  return found;
};
