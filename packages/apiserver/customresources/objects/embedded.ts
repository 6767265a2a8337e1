import { DecodeError, decodeValue, shapeOf, validateMetadata, type FieldCause } from '@kubernode/api';
import type { ObjectMeta } from '@kubernode/api/meta/v1';
import { dns1035Label } from '@kubernode/machinery';
import { invalid, required } from '../causes.ts';
import { someSchemaOnce } from '../definitions/schema-walk.ts';
import { isEmbedded, isPlain, itemsOf, schemaUnder, type Plain, type Schema } from '../schema.ts';

const mayEmbed = someSchemaOnce(isEmbedded);

/** Objects in objects (`x-kubernetes-embedded-resource`) have a version, a kind and proper metadata. */
export function embeddedCauses(value: unknown, schema: Schema | undefined, path = ''): FieldCause[] {
  if (!schema || !mayEmbed(schema)) return [];
  const own = isPlain(value) && isEmbedded(schema) && path !== '' ? objectCauses(value, path) : [];
  return [...own, ...partsOf(value, schema, path).flatMap((part) => embeddedCauses(...part))];
}

/** What keeps the objects in an object from being read at all: only the first such thing is told. */
export function unreadable(value: unknown, schema: Schema | undefined, path = ''): FieldCause | undefined {
  if (!schema || !mayEmbed(schema)) return undefined;
  if (isPlain(value) && isEmbedded(schema) && path !== '') {
    const found = typeCause(value, path);
    if (found) return found;
  }
  for (const part of partsOf(value, schema, path)) {
    const found = unreadable(...part);
    if (found) return found;
  }
  return undefined;
}

type Part = readonly [value: unknown, schema: Schema | undefined, path: string];

function partsOf(value: unknown, schema: Schema, path: string): Part[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items ? value.map((item, index): Part => [item, items, `${path}[${index}]`]) : [];
  }
  if (!isPlain(value)) return [];
  const { properties = {} } = schema;
  return Object.keys(value).map((key): Part => {
    const name = Object.hasOwn(properties, key) ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
    return [value[key], schemaUnder(schema, key), name];
  });
}

function typeCause(object: Plain, path: string): FieldCause | undefined {
  for (const name of ['apiVersion', 'kind']) {
    const value = object[name];
    if (value !== undefined && typeof value !== 'string') return invalid(`${path}.${name}`, value, 'must be a string');
  }
  const { metadata } = object;
  if (metadata === undefined || metadata === null) return undefined;
  try {
    decodeValue(metadata, shapeOf('meta.k8s.io/v1.ObjectMeta'));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return invalid(`${path}.metadata`, metadata, error.message);
    throw error;
  }
}

function objectCauses(object: Plain, path: string): FieldCause[] {
  const found = (['apiVersion', 'kind'] as const).flatMap((name) => {
    const at = `${path}.${name}`;
    const value = object[name];
    if (value === undefined) return [required(at)];
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
