import { load } from 'js-yaml';

/** What a configuration may contain: a field's own fields, `[…]` of lists, or null where its value is a leaf. */
export interface Fields {
  readonly [name: string]: Fields | readonly [Fields] | null;
}

export interface ConfigurationKind {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
  /** Without them any field will do. */
  readonly fields?: Fields | undefined;
}

/**
 * Reads a file of component configuration (YAML or JSON): of the expected kind, in a known version, without unknown
 * fields. Throws an Error with upstream's words for what is wrong.
 */
export function readConfiguration<T>(text: string, expected: ConfigurationKind): T & { readonly version: string } {
  if (text.trim() === '') throw new Error('empty config data');
  return checkConfiguration<T>(load(text), expected);
}

/** The same of a value that was read already. */
export function checkConfiguration<T>(value: unknown, expected: ConfigurationKind): T & { readonly version: string } {
  if (!isObject(value)) throw new Error("Object 'Kind' is missing");
  const { apiVersion, kind, ...rest } = value;
  if (typeof kind !== 'string' || kind === '') throw new Error("Object 'Kind' is missing");
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error("Object 'apiVersion' is missing");
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const isGroup = apiVersion === `${expected.group}/${version}`;
  if (!isGroup || kind !== expected.kind || !expected.versions.includes(version)) {
    const known = expected.versions.map((name) => `${expected.group}/${name}`).join(', ');
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}, expected ${expected.kind} of ${known}`,
    );
  }
  const unknown = expected.fields ? unknownFields(rest, expected.fields, '') : [];
  if (unknown.length > 0) {
    throw new Error(`strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`);
  }
  return { ...(rest as T), version };
}

function unknownFields(value: unknown, fields: Fields, path: string): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path ? `${path}.${name}` : name;
    if (!Object.hasOwn(fields, name)) return [at];
    const below = fields[name];
    if (!below) return [];
    if (!isList(below)) return unknownFields(item, below, at);
    return Array.isArray(item) ? item.flatMap((one, index) => unknownFields(one, below[0], `${at}[${index}]`)) : [];
  });
}

const isList = (fields: Fields | readonly [Fields]): fields is readonly [Fields] => Array.isArray(fields);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
