import { validateMetadata, type FieldCause } from '@kubernode/api';
import type { ObjectMeta } from '@kubernode/api/meta/v1';
import { dns1035Label } from '@kubernode/machinery';
import { invalid, required } from './causes.ts';
import { isEmbedded, isPlain, itemsOf, schemaUnder, type Plain, type Schema } from './schema.ts';

/** Objects in objects (`x-kubernetes-embedded-resource`) have a version, a kind and proper metadata. */
export function embeddedCauses(value: unknown, schema: Schema | undefined, path = ''): FieldCause[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return value.flatMap((item, index) => embeddedCauses(item, items, `${path}[${index}]`));
  }
  if (!isPlain(value)) return [];
  const below = Object.keys(value).flatMap((key) =>
    embeddedCauses(value[key], schemaUnder(schema, key), path ? `${path}.${key}` : key),
  );
  return isEmbedded(schema) && path !== '' ? [...objectCauses(value, path), ...below] : below;
}

function objectCauses(object: Plain, path: string): FieldCause[] {
  const found = (['apiVersion', 'kind'] as const).flatMap((name) => {
    const at = `${path}.${name}`;
    const value = object[name];
    if (value === undefined) return [required(at, 'must not be empty')];
    if (typeof value !== 'string') return [invalid(at, value, 'must be a string')];
    if (value === '') return [invalid(at, value, 'must not be empty')];
    if (name === 'apiVersion') {
      return value.split('/').length > 2 ? [invalid(at, value, `unexpected GroupVersion string: ${value}`)] : [];
    }
    return dns1035Label(value.toLowerCase()).map((detail) =>
      invalid(at, value, `may have mixed case, but should otherwise match: ${detail}`),
    );
  });
  const { metadata } = object;
  if (metadata === undefined || metadata === null) return found;
  if (!isPlain(metadata)) return [...found, invalid(`${path}.metadata`, metadata, 'must be an object')];
  return [...found, ...metadataCauses(metadata as unknown as ObjectMeta, `${path}.metadata`)];
}

function metadataCauses(metadata: ObjectMeta, path: string): readonly FieldCause[] {
  const named = { ...metadata, name: metadata.name || 'fakename' };
  const validateName = (name: string) =>
    name === '.' || name === '..' || /[/%]/.test(name) ? [`may not be '${name}', or contain '/' or '%'`] : [];
  return validateMetadata(named, { namespaced: Boolean(metadata.namespace), validateName }, path);
}
