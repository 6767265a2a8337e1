import type { Facts, FieldFact, TypeFact } from './facts.ts';

/**
 * The compact table that `shapes.ts` reads: type → rows of fields, each `[name, type, proto, flags, extras?]`.
 * A type is a scalar's name, a type's name, or one of these behind `[]` (list), `{}` (map) or `{}[]!` (a map whose
 * values are a named list). Flags: p pointer, o omitempty, r required, i inlined in JSON, a may be absent
 * although it is not omitempty.
 */
export function shapesTable(facts: Facts, names: readonly string[]): string {
  const rows = names.map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(facts.types[name]?.fields.map(fieldRow))}`,
  );
  return `{\n${rows.join(',\n')}\n}\n`;
}

/** Defaults that the Go types name by a constant. */
const constants: Readonly<Record<string, string | undefined>> = {
  'ref(AzureDataDiskCachingReadWrite)': 'ReadWrite',
  'ref(AzureSharedBlobDisk)': 'Shared',
};

function fieldRow(field: FieldFact): unknown[] {
  const isAllowedEmpty = field.optional && !field.omitempty && !field.inline;
  const flags = [
    field.pointer && 'p',
    field.omitempty && 'o',
    field.required && 'r',
    field.inline && 'i',
    isAllowedEmpty && 'a',
  ];
  const extras = {
    listType: field.listType,
    keys: field.listMapKeys,
    mapType: field.mapType ?? field.structType,
    enum: field.enum,
    itemEnum: (field.items ?? field.values)?.enum,
    default: field.default ?? constants[field.defaultExpr ?? ''],
    patchStrategy: field.patchStrategy,
    patchMergeKey: field.patchMergeKey,
    featureGates: field.featureGates,
    markers: field.markers,
  };
  const row: unknown[] = [field.name ?? '', typeText(field), field.proto ?? 0, flags.filter(Boolean).join('')];
  if (Object.values(extras).some((value) => value !== undefined)) row.push(extras);
  return row;
}

function typeText(type: TypeFact): string {
  if (type.type === 'array' && type.items) {
    const wrapped = type.named !== undefined && type.items.type === 'string';
    return `[]${typeText(type.items)}${wrapped ? '!' : ''}`;
  }
  if (type.type === 'map' && type.values) return `{}${typeText(type.values)}`;
  if (type.type === 'ref' && type.ref) return type.ref;
  return type.type === 'unknown' ? 'any' : type.type;
}
