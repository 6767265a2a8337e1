import facts from '../../facts/validation-1.37.json' with { type: 'json' };

/**
 * A marker of declarative validation: `maxItems=8`, `ifMode(Limited)=required`, `eachVal=format=k8s-short-name`. One that
 * makes others depend on something, or moves them to keys or items, has an `inner` marker.
 */
export interface Marker {
  readonly name: string;
  readonly argument: string;
  readonly inner?: Marker;
}

type MarkedFields = Readonly<Record<string, readonly string[]>>;

const markedTypes = facts as Readonly<Record<string, MarkedFields | undefined>>;
const withInner = new Set(['eachVal', 'eachKey', 'ifMode', 'ifEnabled', 'ifDisabled']);

/** The markers of a type's fields, those of embedded types included. */
export function markersOf(typeName: string): ReadonlyMap<string, readonly Marker[]> {
  const { '': embedded = [], ...own } = markedTypes[typeName] ?? {};
  return new Map([
    ...embedded.flatMap((name) => [...markersOf(name)]),
    ...Object.entries(own).map(([field, texts]) => [field, texts.map(parsed)] as const),
  ]);
}

function parsed(text: string): Marker {
  const [, name = '', condition, rest = ''] = /^(\w+)(?:\(([^)]*)\))?(?:=(.*))?$/.exec(text) ?? [];
  if (!withInner.has(name)) return { name, argument: rest };
  return { name, argument: condition ?? '', inner: parsed(rest) };
}
