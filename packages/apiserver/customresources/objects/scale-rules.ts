import type { FieldCause } from '@kubernode/api';
import type { CustomResourceSubresourceScale } from '@kubernode/api/apiextensions/v1';
import { invalid } from '../causes.ts';
import { isPlain, type Plain } from '../schema.ts';

const replicasMax = 2 ** 31 - 1;

/** What is wrong with the counts and the selector that a `scale` subresource reads (ValidateCustomResource's scale). */
export function scaleCauses(
  object: Plain,
  scale: CustomResourceSubresourceScale,
  part: 'object' | 'status',
): FieldCause[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const paths = part === 'status' ? [statusReplicasPath] : [specReplicasPath, statusReplicasPath];
  const counts = paths.flatMap((path) => countCauses(object, path));
  if (!labelSelectorPath) return counts;
  const { value: selector, error } = valueAt(object, labelSelectorPath);
  if (error) return [...counts, invalid(labelSelectorPath, '', error)];
  if (selector === undefined || typeof selector === 'string') return counts;
  return [...counts, invalid(labelSelectorPath, '', wrongType(labelSelectorPath, selector, 'string'))];
}

function countCauses(object: Plain, path: string): FieldCause[] {
  const { value: count, error } = valueAt(object, path);
  if (error) return [invalid(path, 0, error)];
  if (count === undefined) return [];
  if (typeof count !== 'bigint' && (typeof count !== 'number' || !Number.isInteger(count)))
    return [invalid(path, 0, wrongType(path, count, 'int64'))];
  if (count < 0) return [invalid(path, count, 'should be a non-negative integer')];
  return count > replicasMax ? [invalid(path, count, `should be less than or equal to ${replicasMax}`)] : [];
}

/** Go prints values and their types. */
function wrongType(path: string, value: unknown, wanted: string): string {
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return `${path} accessor error: ${shown} is of the type ${typeName(value)}, expected ${wanted}`;
}

function typeName(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return 'int64';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map[string]interface {}' : 'string';
}

/** What is at a path; where something on the way there is no object, the error of upstream's accessor. */
function valueAt(object: Plain, path: string): { readonly value?: unknown; readonly error?: string } {
  let value: unknown = object;
  const names = path.slice(1).split('.');
  for (const [index, name] of names.entries()) {
    if (value === null) return {};
    if (!isPlain(value)) {
      const at = `.${names.slice(0, index + 1).join('.')}`;
      return { error: wrongType(at, value, 'map[string]interface{}') };
    }
    if (!Object.hasOwn(value, name)) return {};
    value = value[name];
  }
  return { value };
}
