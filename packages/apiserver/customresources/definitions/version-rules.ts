import type { FieldCause } from '@kubernode/api';
import type { CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import { duplicate, invalid, required, tooMany } from '../causes.ts';
import { followPath } from '../field-path.ts';
import type { Schema } from '../schema.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableFieldsMax = 8;
const selectableTypes: readonly (string | undefined)[] = ['string', 'boolean', 'integer'];

export function subresourceCauses(
  subresources: CustomResourceDefinitionVersion['subresources'],
  at: string,
): FieldCause[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector } = scale;
  const either = 'either .spec or .status';
  return [
    ...(spec ? simplePath(spec, `${at}.scale.specReplicasPath`, ['.spec.'], '.spec') : []),
    ...(spec ? [] : [required(`${at}.scale.specReplicasPath`)]),
    ...(status ? simplePath(status, `${at}.scale.statusReplicasPath`, ['.status.'], '.status') : []),
    ...(status ? [] : [required(`${at}.scale.statusReplicasPath`)]),
    ...(selector ? simplePath(selector, `${at}.scale.labelSelectorPath`, ['.spec.', '.status.'], either) : []),
  ];
}

function simplePath(path: string, field: string, roots: readonly string[], where: string): FieldCause[] {
  if (!path.startsWith('.')) return [invalid(field, path, 'must be a simple json path starting with .')];
  if (roots.some((root) => path.startsWith(root))) return [];
  return [invalid(field, path, `should be a json path under ${where}`)];
}

export function columnCauses(
  columns: CustomResourceDefinitionVersion['additionalPrinterColumns'] = [],
  at: string,
): FieldCause[] {
  return columns.flatMap(({ name, type, format = '', jsonPath }, index) => {
    const path = `${at}[${index}]`;
    const detail = `must be one of ${columnTypes.join(',')}`;
    const formatDetail = `must be one of ${columnFormats.join(',')}`;
    return [
      ...(name ? [] : [required(`${path}.name`)]),
      ...(type ? [] : [required(`${path}.type`, detail)]),
      ...(type && !columnTypes.includes(type) ? [invalid(`${path}.type`, type, detail)] : []),
      ...(format && !columnFormats.includes(format) ? [invalid(`${path}.format`, format, formatDetail)] : []),
      ...(jsonPath ? simplePath(jsonPath, `${path}.JSONPath`, ['.'], '') : [required(`${path}.JSONPath`)]),
    ];
  });
}

export function selectableCauses(
  fields: NonNullable<CustomResourceDefinitionVersion['selectableFields']>,
  schema: Schema,
  at: string,
): FieldCause[] {
  const seen = new Set<string>();
  const found = fields.flatMap(({ jsonPath }, index): FieldCause[] => {
    const field = `${at}[${index}].jsonPath`;
    if (!jsonPath) return [required(field)];
    const target = followPath(schema, jsonPath, false);
    if (typeof target === 'string') return [invalid(field, jsonPath, `is an invalid path: ${target}`)];
    const causes: FieldCause[] = [];
    if (target.first === 'metadata') causes.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    if (!selectableTypes.includes(target.schema?.type)) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      causes.push(invalid(field, jsonPath, detail));
    }
    if (seen.has(target.path)) causes.push(duplicate(field, jsonPath));
    seen.add(target.path);
    return causes;
  });
  if (seen.size > selectableFieldsMax) found.push(tooMany(at, seen.size, selectableFieldsMax));
  return found;
}

const deprecationWarningMax = 256;

export function deprecationCauses(
  { deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion,
  at: string,
): FieldCause[] {
  if (text === undefined) return [];
  if (!deprecated) return [invalid(at, text, 'can only be set for deprecated versions')];
  const found: FieldCause[] = [];
  if (Buffer.byteLength(text) > deprecationWarningMax) {
    found.push(invalid(at, text, `must be <= ${deprecationWarningMax} characters long`));
  }
  if (text === '') found.push(invalid(at, text, 'must not be an empty string'));
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (bad) {
    const index = Buffer.byteLength(text.slice(0, bad.index));
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
    found.push(invalid(at, text, detail));
  }
  return found;
}
