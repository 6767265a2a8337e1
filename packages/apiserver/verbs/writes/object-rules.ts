import { deepClone, deepFreeze } from '@kubernode/machinery';
import { applyDefaults, decodeValue, type KindDefinition } from '@kubernode/api';
import type { ServedResource } from '../../registry.ts';
import type { ApiObject } from '../../storage/encoding.ts';

/** The facts' defaults and the kind's own. */
export function fillDefaults(resource: ServedResource, object: ApiObject, nowTime?: string): void {
  applyDefaults(object, resource.shape);
  resource.definition.defaults?.(object, nowTime);
}

/** A resource with a status subresource takes its status only from there. */
export function clearStatus(resource: ServedResource, object: ApiObject): void {
  if (!resource.hasStatus || resource.definition.keepsStatusAtCreation) return;
  const shape = resource.shape.byName.get('status')?.shape;
  // An empty status still prints the structs that are always there: `loadBalancer: {}` of a Service.
  object['status'] = shape?.type === 'object' ? decodeValue({}, shape, { validation: 'Ignore' }).object : {};
}

/** Puts the old status back: a plain update does not change it. */
export function keepStatus(resource: ServedResource, object: ApiObject, old: ApiObject): void {
  if (!resource.hasStatus) return;
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = deepClone(old['status']);
}

/** What a dry run answers: the object as it would be read, had it been stored. */
export async function triedObject({ conversion }: ServedResource, object: ApiObject): Promise<ApiObject> {
  return deepFreeze((await conversion.throughStorage?.(object)) ?? object);
}

/** Whether metadata.generation counts the changes of what is wanted. */
export function countsGeneration(resource: ServedResource): boolean {
  return generationOf(resource) !== 'none';
}

export function generationOf({ definition, hasStatus }: ServedResource): NonNullable<KindDefinition['generation']> {
  return definition.generation ?? (hasStatus ? 'spec' : 'none');
}
