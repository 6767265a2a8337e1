import { groupVersionOf, shortNameOf } from './facts.ts';
import type { FieldFact, Facts, ResourceFact, ResourceFacts, TypeFact } from './facts.ts';

const header = '// Generated from the facts by packages/api/generate; never edited.\n';

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  uint32: 'number',
  uint64: 'number',
  float32: 'number',
  float64: 'number',
  bytes: 'string',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  time: 'Time',
  microtime: 'MicroTime',
  duration: 'Duration',
  rawExtension: 'unknown',
  fieldsV1: 'FieldsV1',
  any: 'unknown',
  unknown: 'unknown',
};

/** Types that write their own JSON: another form than their fields say, or any form. */
const opaqueTypes: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io/v1.JSON': 'unknown',
  'apiextensions.k8s.io/v1.JSONSchemaPropsOrArray': 'JSONSchemaProps | JSONSchemaProps[]',
  'apiextensions.k8s.io/v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'apiextensions.k8s.io/v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[]',
};

/** Scalars that `packages/api/scalars.ts` names. */
const namedScalars = ['Duration', 'FieldsV1', 'IntOrString', 'MicroTime', 'Quantity', 'Time'];

/** `rbac.authorization.k8s.io/v1` → `rbac/v1`: the file, and the subpath that the package exports. */
const moduleOf = (groupVersion: string) => {
  const [group = '', version = ''] = groupVersion.split('/');
  return `${group.split('.')[0]}/${version}`;
};

/**
 * For each group and version a file of types, and one that adds the kinds as values to them. They are apart because the
 * types are long, and a program that only needs the values should not have to read them at its start.
 */
export function typeFiles(facts: Facts, resources: ResourceFacts, names: readonly string[]): [string, string][] {
  const byGroupVersion = Map.groupBy(names, groupVersionOf);
  return [...byGroupVersion].flatMap(([groupVersion, members]): [string, string][] => {
    const path = `types/${moduleOf(groupVersion)}`;
    const file = new TypeFile(facts, groupVersion, members);
    return [
      [`${path}.types.ts`, file.text()],
      [`${path}.ts`, kindsFile(resources, groupVersion, members)],
    ];
  });
}

class TypeFile {
  readonly #facts: Facts;
  readonly #groupVersion: string;
  readonly #members: readonly string[];
  readonly #imports = new Map<string, Set<string>>();
  readonly #scalars = new Set<string>();

  constructor(facts: Facts, groupVersion: string, members: readonly string[]) {
    this.#facts = facts;
    this.#groupVersion = groupVersion;
    this.#members = members;
  }

  text(): string {
    const declared = this.#members.filter((name) => !isScalarType(name));
    const body = declared.map((name) => this.#interfaceOf(name)).join('\n');
    return `${header}${this.#importLines()}\n${body}`;
  }

  #interfaceOf(name: string): string {
    if (opaqueTypes[name]) return `export type ${shortNameOf(name)} = ${opaqueTypes[name]};\n`;
    const type = this.#facts.types[name];
    const required = name === 'meta.k8s.io/v1.ObjectMeta' ? identity : [];
    const fields = this.#fields(type?.fields ?? [], required);
    return `export interface ${shortNameOf(name)} {\n${fields.join('')}}\n`;
  }

  #fields(fields: readonly FieldFact[], required: readonly string[]): string[] {
    return fields.flatMap((field) => {
      if (field.inline) return this.#fields(this.#facts.types[field.ref ?? '']?.fields ?? [], required);
      const key = /^[A-Za-z_]\w*$/.test(field.name) ? field.name : JSON.stringify(field.name);
      const optional = !alwaysPresent(field) && !required.includes(field.name);
      return [`  ${key}${optional ? '?' : ''}: ${this.#typeText(field)}${optional ? ' | undefined' : ''};\n`];
    });
  }

  #typeText(type: TypeFact): string {
    if (type.type === 'array') return `${parenthesized(this.#typeText(type.items ?? { type: 'any' }))}[]`;
    if (type.type === 'map') return `{ [key: string]: ${this.#typeText(type.values ?? { type: 'any' })} }`;
    if (type.type === 'ref') return this.#reference(type.ref ?? '');
    if (type.type === 'string' && type.enum?.length) return type.enum.map((value) => JSON.stringify(value)).join(' | ');
    const text = scalarTypes[type.type];
    if (!text) throw new Error(`facts: scalar "${type.type}" is unknown to the generator`);
    if (namedScalars.includes(text)) this.#scalars.add(text);
    return text;
  }

  #reference(name: string): string {
    const owner = groupVersionOf(name);
    const short = shortNameOf(name);
    if (owner === this.#groupVersion) return short;
    const alias = this.#members.some((member) => shortNameOf(member) === short) ? `${short}Of${capital(owner)}` : short;
    const names = this.#imports.get(owner) ?? new Set();
    names.add(alias === short ? short : `${short} as ${alias}`);
    this.#imports.set(owner, names);
    return alias;
  }

  #importLines(): string {
    const lines = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([owner, names]) => `import type { ${[...names].sort().join(', ')} } from '../${moduleOf(owner)}.types.ts';\n`,
      );
    if (this.#scalars.size > 0) {
      lines.unshift(`import type { ${[...this.#scalars].sort().join(', ')} } from '../../../scalars.ts';\n`);
    }
    return lines.join('');
  }
}

/** The types once more, and the kinds that are resources as values of the same name as their type. */
function kindsFile(resources: ResourceFacts, groupVersion: string, members: readonly string[]): string {
  const [group = '', version = ''] = groupVersion.split('/');
  const kinds = resources.resources.filter(
    (r) => r.version === version && (r.group || 'core') === group && members.includes(`${groupVersion}.${r.kind}`),
  );
  const path = `./${moduleOf(groupVersion).split('/')[1]}.types.ts`;
  const all = `export type * from '${path}';\n`;
  if (kinds.length === 0) return header + all;
  const imports = `import { kind } from '../../../kind.ts';\nimport type * as types from '${path}';\n`;
  return `${header}${imports}${all}\n${kinds.map(kindLines).join('')}`;
}

function kindLines({ group, version, kind, resource, namespaced }: ResourceFact): string {
  const literal = JSON.stringify({ group, version, kind, plural: resource, namespaced });
  return `export type ${kind} = types.${kind};\nexport const ${kind} = kind<${kind}>(${literal});\n`;
}

/** JSON always carries a struct that is not a pointer, whatever `omitempty` says, and all that lacks `omitempty`. */
function alwaysPresent(field: FieldFact): boolean {
  return !field.pointer && (field.type === 'ref' || !field.omitempty);
}

/** Go structs that are scalars here (meta/v1 Time and its like). */
const isScalarType = (name: string) =>
  groupVersionOf(name) === 'meta.k8s.io/v1' && namedScalars.includes(shortNameOf(name));

/** The metadata that every stored object has, so that readers need not ask. */
const identity = ['creationTimestamp', 'name', 'resourceVersion', 'uid'];

const parenthesized = (text: string) => (text.includes(' | ') ? `(${text})` : text);
const capital = (groupVersion: string) =>
  moduleOf(groupVersion).replace(/(^|[/-])(\w)/g, (_, _slash, letter: string) => letter.toUpperCase());
