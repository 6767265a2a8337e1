import type { FieldCause } from '@kubernode/api';
import { forbidden, invalid, notSupported, required } from '../causes.ts';
import { itemsOf, type Schema } from '../schema.ts';

/** What `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` ask of a list's schema. */
export function listRules(schema: Schema, path: string): FieldCause[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const found: FieldCause[] = [];
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    found.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  } else if (listType === 'set') found.push(...setRules(schema, path));
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    found.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    found.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === 'map') found.push(...mapRules(schema, keys, path));
  return [...found, ...keyRules(schema, keys, path)];
}

function setRules(schema: Schema, path: string): FieldCause[] {
  const items = itemsOf(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)];
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-map-type`, items['x-kubernetes-list-type'], detail)];
  }
  return [];
}

function mapRules(schema: Schema, keys: readonly string[], path: string): FieldCause[] {
  const found: FieldCause[] = [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) found.push(required(at, 'must not be empty if x-kubernetes-list-type is map'));
  if (!schema.items) found.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  if (Array.isArray(schema.items)) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    found.push(invalid(`${path}.items`, schema.items, detail));
  }
  const items = itemsOf(schema);
  if (!items) return found;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...found, invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  keys.forEach((key, index) => {
    const type = items.properties?.[key]?.type;
    if (!items.properties?.[key]) found.push(invalid(at, keys, 'entries must all be names of item properties'));
    else if (type === 'array' || type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      found.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) < index) found.push(invalid(at, keys, 'must not contain duplicate entries'));
  });
  return found;
}

/** Items and their keys are never null, and keys are always there. */
function keyRules(schema: Schema, keys: readonly string[], path: string): FieldCause[] {
  const listType = schema['x-kubernetes-list-type'];
  const items = itemsOf(schema);
  if (!items || (listType !== 'set' && listType !== 'map')) return [];
  const found: FieldCause[] = [];
  if (items.nullable) {
    found.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === 'set') return found;
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!items.required?.includes(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      found.push(required(`${at}.default`, detail));
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      found.push(forbidden(`${at}.nullable`, detail));
    }
  }
  return found;
}
