/** A recorded sequence of requests and of the reference's normalized answers. */
export interface Scenario {
  readonly name: string;
  /** Its namespace is `sc-<n>`. */
  readonly n: number;
  /** Without a namespace of its own. */
  readonly bare?: boolean;
  /** Waits for minutes. */
  readonly slow?: boolean;
  readonly steps: readonly { readonly request: Step; readonly response: unknown }[];
}

/** `${name}` in path, headers and body stands for a saved variable. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
  /** Whom to act as. */
  readonly as?: string | Impersonated;
  /** Another bearer token; '' sends none. */
  readonly token?: string;
  /** Variable → pointer into the answer. */
  readonly save?: Readonly<Record<string, string>>;
  /** The length of `${pad}`. */
  readonly pad?: number;
  readonly waitMs?: number;
  /** Repeat until the answer is so. */
  readonly until?: {
    readonly code?: number;
    readonly at?: string;
    readonly equals?: unknown;
    readonly seconds?: number;
  };
  /** Collect the stream until it ends; `during` are steps made while it is open. */
  readonly watch?: boolean;
  readonly during?: readonly Step[];
  /** The one aspect of the body that counts. */
  readonly view?: string;
}

export interface Impersonated {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 6901's, plus a segment `key=value` that picks a list's element. */
export function pointer(value: unknown, at: string): unknown {
  let found = value;
  for (const raw of at.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    const [key = '', wanted] = segment.split('=');
    if (Array.isArray(found)) {
      const list = found as readonly unknown[];
      found =
        wanted === undefined ? list[Number(segment)] : list.find((item) => isFields(item) && item[key] === wanted);
    } else found = isFields(found) ? found[segment] : undefined;
  }
  return found;
}

/** Fills variables in, everywhere in a value. */
export function substitute<T>(value: T, variables: ReadonlyMap<string, string>): T;
export function substitute(value: unknown, variables: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)\}/g, (whole: string, name: string) => variables.get(name) ?? whole);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => substitute(item, variables));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [substitute(key, variables), substitute(item, variables)]),
  );
}
