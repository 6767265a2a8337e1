/** Where the metadata of an object's JSON is, in bytes: `end` is behind its closing brace. */
export interface MetadataPlace {
  readonly start: number;
  readonly end: number;
  /** Of `"managedFields"`, metadata's last field; 0 where there are none. */
  readonly managedFieldsAt: number;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Array.from(
  Buffer.from('"\\{}[],'),
) as [number, number, number, number, number, number, number];

const beforeMetadata = Buffer.from('"metadata":{');
const managedFields = Buffer.from('"managedFields":[');

/**
 * Finds the metadata of what our own encoder wrote: it stands behind kind and version, which take `typeMetaLength` bytes.
 * Undefined for JSON that is not in this order. Nothing is decoded: it looks at each byte of the metadata once.
 */
export function metadataPlace(json: Buffer, typeMetaLength: number): MetadataPlace | undefined {
  if (!standsAt(json, typeMetaLength, beforeMetadata)) return undefined;
  const start = typeMetaLength + beforeMetadata.length - 1;
  let depth = 0;
  let managedFieldsAt = 0;
  for (let at = start; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        // A string behind a comma is the name of a field, this far out.
        if (depth === 1 && json[at - 1] === comma && standsAt(json, at, managedFields)) managedFieldsAt = at;
        at = stringEnd(json, at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        if (depth === 0) return { start, end: at + 1, managedFieldsAt };
        break;
    }
  }
  return undefined;
}

/** Where the closing quote is. */
function stringEnd(json: Buffer, opening: number): number {
  let at = opening + 1;
  for (; at < json.length && json[at] !== quote; at += 1) {
    if (json[at] === backslash) at += 1;
  }
  return at;
}

function standsAt(json: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (json[at + index] !== text[index]) return false;
  }
  return true;
}

/** The text of an object's JSON without who manages its fields: often a third of it, and no column shows any of that. */
export function textWithoutManagedFields(json: Buffer, { end, managedFieldsAt }: MetadataPlace): string {
  if (managedFieldsAt === 0) return json.toString('utf8');
  // Up to the comma before it, and from metadata's closing brace on.
  return json.toString('utf8', 0, managedFieldsAt - 1) + json.toString('utf8', end - 1);
}
