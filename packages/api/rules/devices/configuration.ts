import type { FieldCause } from '../../status-error.ts';
import { invalid, required, tooLong } from '../cause.ts';

const parametersBytesMax = 10 * 1024;

interface Configuration {
  readonly opaque?: { readonly driver: string; readonly parameters: unknown } | undefined;
}

/** Parameters for a driver; `isStored`: they were in the object before, at any size. */
export function configuration({ opaque }: Configuration, path: string, isStored: boolean): readonly FieldCause[] {
  if (!opaque) return [required(`${path}.opaque`)];
  return rawObject(opaque.parameters, `${path}.opaque.parameters`, { bytesMax: parametersBytesMax, isStored });
}

/** A JSON object that nobody here looks into. */
export function rawObject(
  value: unknown,
  path: string,
  { bytesMax, isStored = false }: { readonly bytesMax: number; readonly isStored?: boolean },
): readonly FieldCause[] {
  if (value === undefined || value === null) return [required(path)];
  if (!isStored && Buffer.byteLength(JSON.stringify(value)) > bytesMax) return [tooLong(path, bytesMax)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}
