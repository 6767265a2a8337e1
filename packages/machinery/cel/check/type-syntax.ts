import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  parameterType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from '../types.ts';

/** The signature of an overload: `string.(int) bool` is a member function of strings. */
export interface Signature {
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

const scalars: ReadonlyMap<string, CelType> = new Map([
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['string', stringType],
  ['bytes', bytesType],
  ['null', nullType],
  ['timestamp', timestampType],
  ['duration', durationType],
  ['dyn', dynType],
]);

/**
 * Reads a signature from the short notation of the library tables: `(A, list(A)) bool`, `IP.() int`. A single capital
 * letter is a type parameter; any other unknown name is an opaque type of that name. Throws on a malformed table.
 */
export function parseSignature(text: string): Signature {
  const reader = new TypeReader(text);
  const parameters: CelType[] = [];
  const member = !text.startsWith('(');
  if (member) {
    parameters.push(reader.type());
    reader.expect('.');
  }
  parameters.push(...reader.list());
  return { member, parameters, result: reader.type() };
}

class TypeReader {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[A-Za-z_][\w/]*(?:\.[A-Za-z_]\w*)*|[(),.]/g) ?? [];
  }

  expect(token: string): void {
    const found = this.#tokens[this.#position++];
    if (found !== token) throw new Error(`signature: found "${found}", expected "${token}"`);
  }

  list(): CelType[] {
    this.expect('(');
    const types: CelType[] = [];
    while (this.#tokens[this.#position] !== ')') {
      if (types.length > 0) this.expect(',');
      types.push(this.type());
    }
    this.expect(')');
    return types;
  }

  type(): CelType {
    const name = this.#tokens[this.#position++];
    if (name === undefined) throw new Error('signature: a type is missing');
    const known = scalars.get(name);
    if (known !== undefined) return known;
    if (/^[A-Z]$/.test(name)) return parameterType(name);
    const parameters = this.#tokens[this.#position] === '(' ? this.list() : [];
    const [first, second] = parameters;
    if (name === 'list' && first !== undefined) return listType(first);
    if (name === 'map' && first !== undefined && second !== undefined) return mapType(first, second);
    if (name === 'type') return typeType(first ?? parameterType('T'));
    return opaqueType(name === 'optional' ? 'optional_type' : name, ...parameters);
  }
}
