import { cborAroundItems, encodeCborItem, encodeYaml } from '@kubernode/api';
import { parseJsonExactly, type Shape } from '@kubernode/machinery';
import type { OutputFormat } from './negotiate.ts';
import { jsonText, prettyText, printedShape } from './print.ts';

/** All of a list but its items, of which there is one at least, and the field that they stand in. */
export interface ListFrame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly field: 'items' | 'rows';
  readonly count: number;
}

/** How a list is written: what stands before its first item, between two and after the last, and each item. */
interface ListForm {
  readonly before: string | Uint8Array;
  readonly between: string;
  readonly after: string | Uint8Array;
  readonly item: (value: unknown) => string | Uint8Array;
}

/** Joined, it is to the byte what `encodeValue` makes of the whole list. Not for protobuf. */
export function listForm(frame: ListFrame, { encoding, pretty }: OutputFormat): ListForm {
  const { head, field } = frame;
  const shape = printedShape(head);
  const items = shape?.byName.get(field)?.shape;
  const itemShape = items?.type === 'list' ? items.items : undefined;
  if (encoding === 'cbor') {
    const around = cborAroundItems(head, { field, count: frame.count, shape });
    return { ...around, between: '', item: (value) => encodeCborItem(value, itemShape) };
  }
  const empty = jsonText({ ...head, [field]: [] }, shape);
  if (encoding === 'yaml') return yamlForm(empty, field, itemShape);
  return pretty ? prettyForm(empty, itemShape) : jsonForm(empty, itemShape);
}

/** The items are the last field of their list. */
const emptyItems = '[]';

function jsonForm(empty: string, itemShape: Shape | undefined): ListForm {
  const at = empty.lastIndexOf(emptyItems);
  return {
    before: empty.slice(0, at + 1),
    between: ',',
    after: `${empty.slice(at + 1)}\n`,
    item: (value) => jsonText(value, itemShape),
  };
}

function prettyForm(empty: string, itemShape: Shape | undefined): ListForm {
  const text = prettyText(empty);
  const at = text.lastIndexOf(emptyItems);
  const lineStart = '\n    ';
  return {
    before: text.slice(0, at + 1) + lineStart,
    between: `,${lineStart}`,
    after: `\n  ${text.slice(at + 1)}`,
    // A string's line breaks are escaped: what breaks a line here indents it.
    item: (value) => prettyText(jsonText(value, itemShape)).replaceAll('\n', lineStart),
  };
}

function yamlForm(empty: string, field: string, itemShape: Shape | undefined): ListForm {
  const text = encodeYaml(parseJsonExactly(empty));
  const line = `${field}:`;
  // Only what stands at the top begins its line.
  const at = `\n${text}`.indexOf(`\n${line} ${emptyItems}\n`);
  return {
    before: `${text.slice(0, at)}${line}\n`,
    between: '',
    after: text.slice(at + line.length + ` ${emptyItems}\n`.length),
    item: (value) => encodeYaml({ [field]: [parseJsonExactly(jsonText(value, itemShape))] }).slice(line.length + 1),
  };
}
