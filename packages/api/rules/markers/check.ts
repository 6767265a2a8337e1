import type { Field, Shape } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import type { IsEnabled } from '../gate-specs.ts';

/** What is being done to the object as a whole. */
export interface Operation {
  readonly isUpdate: boolean;
  readonly isEnabled: IsEnabled;
}

/** A place in an object. `old` is the value there before; `isCorrelated`: there was such a place before. */
export interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly old: unknown;
  readonly isCorrelated: boolean;
}

/** What is wrong at a place. */
export type Check = (place: Place, operation: Operation) => readonly FieldCause[];

/** What a value can be, as far as "there or not" goes: pointers are there with any value, strings and lists with some. */
export type Form = 'pointer' | 'list' | 'map' | 'struct' | 'value';

export const nothing: readonly FieldCause[] = [];

export function formOf(field: Pick<Field, 'pointer' | 'shape'>): Form {
  if (field.pointer) return 'pointer';
  return formOfShape(field.shape);
}

export function formOfShape(shape: Shape): Form {
  if (shape.type === 'list' || shape.type === 'map') return shape.type;
  return shape.type === 'object' ? 'struct' : 'value';
}

/** Whether the value says anything, as Go's zero values tell. */
export function isSet(value: unknown, form: Form): boolean {
  if (form === 'struct') return true;
  if (value === undefined || value === null) return false;
  if (form === 'pointer') return true;
  if (form === 'list') return (value as readonly unknown[]).length > 0;
  if (form === 'map') return Object.keys(value).length > 0;
  return value !== '' && value !== 0 && value !== false;
}
