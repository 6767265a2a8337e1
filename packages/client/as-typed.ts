import { findShape, restoreEmpty } from '@kubernode/api';

interface Answer {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly items?: readonly unknown[];
}

/**
 * An object or a list as it was parsed from JSON, with empty lists where Go prints null, in place: so that it is what its
 * type says. Kinds that are not built in stay as they came.
 */
export function asTyped<T>(answer: T): T {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { apiVersion, kind, items } = answer as Answer;
  if (!apiVersion || !kind) return answer;
  if (items === undefined) restore(answer, apiVersion, kind);
  else for (const item of items) restore(item, apiVersion, kind.replace(/List$/, ''));
  return answer;
}

function restore(object: unknown, apiVersion: string, kind: string): void {
  const shape = findShape(apiVersion, kind);
  if (shape) restoreEmpty(object, shape);
}
