import type { Overload } from './function.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  parameterType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from './types.ts';

type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

/** What an environment declares. */
export interface EnvironmentOptions {
  /** The functions there are, one table for each library. */
  readonly libraries: readonly FunctionTable[];
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Object types that expressions name, to make objects of them (`Object{spec: ...}`). */
  readonly types?: readonly (CelType & { readonly kind: 'object' })[];
  /** Object types without an end, made when an expression names one (`Object.spec.template`). */
  readonly typeOf?: (name: string) => (CelType & { readonly kind: 'object' }) | undefined;
  /** The namespace in which names are looked up first; none in Kubernetes. */
  readonly container?: string;
  /** Lists and maps may mix types; Kubernetes refuses that. */
  readonly mixedLiterals?: boolean;
  /** `cel.bind(name, value, expression)` is there; Kubernetes has it not. */
  readonly bindings?: boolean;
}

/** The names that expressions may use: variables, functions, types. Immutable; `extend` makes a larger one. */
export class Environment {
  readonly container: string;
  readonly mixedLiterals: boolean;
  readonly bindings: boolean;
  readonly #options: EnvironmentOptions;
  readonly #variables: ReadonlyMap<string, CelType>;
  readonly #types: ReadonlyMap<string, CelType & { readonly kind: 'object' }>;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
    this.container = options.container ?? '';
    this.mixedLiterals = options.mixedLiterals ?? false;
    this.bindings = options.bindings ?? false;
    this.#variables = new Map(Object.entries(options.variables ?? {}));
    this.#types = new Map(options.types?.map((type) => [type.name, type]));
  }

  /** The same environment with more variables, types and libraries; a variable of the same name is replaced. */
  extend({ variables = {}, types = [], libraries = [], typeOf, bindings }: Partial<EnvironmentOptions>): Environment {
    const own = this.#options;
    return new Environment({
      ...own,
      ...(typeOf && { typeOf }),
      ...(bindings && { bindings }),
      variables: { ...own.variables, ...variables },
      types: [...(own.types ?? []), ...types],
      libraries: [...own.libraries, ...libraries],
    });
  }

  variable(name: string): CelType | undefined {
    return this.#variables.get(name);
  }

  /** The type that is the value of a name such as `int`, if the name is a type's. */
  typeNamed(name: string): CelType | undefined {
    return typesByName.get(name) ?? this.objectType(name);
  }

  objectType(name: string): (CelType & { readonly kind: 'object' }) | undefined {
    return this.#types.get(name) ?? this.#options.typeOf?.(name);
  }

  overloads(name: string): readonly Overload[] {
    const found = this.#options.libraries.flatMap((library) => library.get(name) ?? []);
    return found;
  }

  /** The names that a name may mean, the innermost first. A leading dot names the outermost alone. */
  candidates(name: string): string[] {
    if (name.startsWith('.')) return [name.slice(1)];
    if (this.container === '') return [name];
    const parts = this.container.split('.');
    const prefixes = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
    return [...prefixes.map((prefix) => `${prefix}.${name}`), name];
  }
}

const typesByName: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['string', stringType],
  ['bytes', bytesType],
  ['null_type', nullType],
  ['optional_type', optionalType(parameterType('A'))],
  ['list', listType(parameterType('A'))],
  ['map', mapType(parameterType('A'), parameterType('B'))],
  ['type', typeType(parameterType('A'))],
  ['google.protobuf.Timestamp', timestampType],
  ['google.protobuf.Duration', durationType],
]);
