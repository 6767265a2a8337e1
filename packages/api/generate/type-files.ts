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
export const moduleOf = (groupVersion: string) => {
  const [group = '', version = ''] = groupVersion.split('/');
  return `${group.split('.')[0]}/${version}`;
};

/** One file of types and kinds for each group and version. */
export function typeFiles(facts: Facts, resources: ResourceFacts, names: readonly string[]): [string, string][] {
  const byGroupVersion = Map.groupBy(names, groupVersionOf);
  return [...byGroupVersion].map(([groupVersion, members]) => [
    `types/${moduleOf(groupVersion)}.ts`,
    new TypeFile(facts, resources, groupVersion, members).text(),
  ]);
}

class TypeFile {
  readonly #facts: Facts;
  readonly #resources: ResourceFacts;
  readonly #groupVersion: string;
  readonly #members: readonly string[];
  readonly #imports = new Map<string, Set<string>>();
  readonly #scalars = new Set<string>();

  constructor(facts: Facts, resources: ResourceFacts, groupVersion: string, members: readonly string[]) {
    this.#facts = facts;
    this.#resources = resources;
    this.#groupVersion = groupVersion;
    this.#members = members;
  }

  text(): string {
    const declared = this.#members.filter((name) => !isScalarType(name));
    const body = declared.map((name) => this.#interfaceOf(name)).join('\n');
    const kinds = this.#kinds();
    return `${header}${this.#importLines(kinds !== '')}\n${body}${kinds}`;
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

  /** The kinds that are resources, as values of the same name as their type. */
  #kinds(): string {
    const [group = '', version = ''] = this.#groupVersion.split('/');
    const isMine = (r: ResourceFact) => r.version === version && (r.group || 'core') === group;
    const mine = this.#resources.resources.filter(
      (r) => isMine(r) && this.#members.includes(`${this.#groupVersion}.${r.kind}`),
    );
    if (mine.length === 0) return '';
    return `\n${mine.map((r) => kindLine(r)).join('')}`;
  }

  #importLines(withKinds: boolean): string {
    const lines = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([owner, names]) => `import type { ${[...names].sort().join(', ')} } from '../${moduleOf(owner)}.ts';\n`);
    if (this.#scalars.size > 0) {
      lines.unshift(`import type { ${[...this.#scalars].sort().join(', ')} } from '../../../scalars.ts';\n`);
    }
    if (withKinds) lines.unshift("import { kind } from '../../../kind.ts';\n");
    return lines.join('');
  }
}

function kindLine({ group, version, kind, resource, namespaced }: ResourceFact): string {
  const literal = JSON.stringify({ group, version, kind, plural: resource, namespaced });
  return `export const ${kind} = kind<${kind}>(${literal});\n`;
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
