import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './schemas.ts';

/** A part of a version 2 document that another server publishes. */
export interface OpenApiV2Part {
  readonly paths: Schema;
  /** As many as the paths may refer to; those that they do not need are left out. */
  readonly definitions: Schema;
  readonly parameters: Schema;
}

const definitionPrefix = '#/definitions/';
const parameterPrefix = '#/parameters/';

/**
 * A document with the paths of others. A path that is there already stays; a definition of the same name and another
 * content is taken under a name of its own, as upstream names it: `io.k8s.api.core.v1.Pod_v2`.
 */
export function mergedOpenApiV2(document: Schema, parts: readonly OpenApiV2Part[]): Schema {
  const paths: Record<string, unknown> = { ...(document['paths'] as Schema) };
  const definitions: Record<string, unknown> = { ...(document['definitions'] as Schema) };
  const parameters: Record<string, unknown> = { ...(document['parameters'] as Schema) };
  for (const part of parts) {
    const own = Object.entries(part.paths).filter(([path]) => !(path in paths));
    const needed = reachable(Object.fromEntries(own), part);
    const renamed = new Map<string, string>();
    for (const name of needed) {
      const into = name.startsWith(definitionPrefix) ? definitions : parameters;
      const bare = bareOf(name);
      const theirs = contentOf(part, name);
      if (into[bare] !== undefined && !isDeepStrictEqual(into[bare], theirs)) renamed.set(name, freeName(name, into));
    }
    for (const name of needed) {
      const into = name.startsWith(definitionPrefix) ? definitions : parameters;
      into[bareOf(renamed.get(name) ?? name)] = withReferences(contentOf(part, name), renamed);
    }
    for (const [path, item] of own) paths[path] = withReferences(item, renamed);
  }
  return { ...document, paths: sorted(paths), definitions: sorted(definitions), parameters: sorted(parameters) };
}

const bareOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

const contentOf = (part: OpenApiV2Part, reference: string) =>
  reference.startsWith(definitionPrefix) ? part.definitions[bareOf(reference)] : part.parameters[bareOf(reference)];

function freeName(reference: string, taken: Readonly<Record<string, unknown>>): string {
  for (let number = 2; ; number += 1)
    if (!(`${bareOf(reference)}_v${number}` in taken)) return `${reference}_v${number}`;
}

/** All references that a value makes, directly or not, to what the part has. */
function reachable(value: unknown, part: OpenApiV2Part): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    for (const reference of referencesOf(pending.pop())) {
      if (found.has(reference) || contentOf(part, reference) === undefined) continue;
      found.add(reference);
      pending.push(contentOf(part, reference));
    }
  }
  return found;
}

function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const isReference = key === '$ref' && typeof item === 'string';
    if (!isReference) return referencesOf(item);
    return item.startsWith(definitionPrefix) || item.startsWith(parameterPrefix) ? [item] : [];
  });
}

function withReferences(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, renamed));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' ? (renamed.get(item) ?? item) : withReferences(item, renamed),
    ]),
  );
}

const sorted = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
