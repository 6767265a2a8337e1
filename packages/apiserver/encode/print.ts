import { encodeCbor, encodeJsonText, encodeYaml, StatusError } from '@kubernode/api';
import { parseJsonExactly, type Shape } from '@kubernode/machinery';
import { protobufOfValue, shapeOfValue } from './forms.ts';
import type { OutputFormat } from './negotiate.ts';

/** A value in the encoding of a format. Throws NotAcceptable for what has no protobuf form. */
export function encodeValue(value: unknown, format: OutputFormat): Buffer {
  const { encoding } = format;
  if (encoding === 'cbor') return Buffer.from(encodeCbor(value, printedShape(value)));
  if (encoding === 'protobuf') {
    const bytes = protobufOfValue(value);
    if (!bytes)
      throw StatusError.of(
        'NotAcceptable',
        'the object has no protobuf form: only application/json and application/yaml are served',
      );
    return Buffer.from(bytes);
  }
  const text = jsonText(value, printedShape(value));
  if (encoding === 'yaml') return Buffer.from(encodeYaml(parseJsonExactly(text)));
  return Buffer.from(format.pretty ? prettyText(text) : `${text}\n`);
}

/**
 * The shape that says how a value is printed: as its kind prints it, with null for lists that are always there, but empty.
 * Undefined for what is printed as it is: a Table's rows are there even if there are none.
 */
export function printedShape(value: unknown) {
  const { apiVersion = '' } = (value ?? {}) as { apiVersion?: string };
  return apiVersion.startsWith('meta.k8s.io/') ? undefined : shapeOfValue(value);
}

export const jsonText = (value: unknown, shape: Shape | undefined): string =>
  shape ? encodeJsonText(value, shape) : JSON.stringify(value);

export const prettyText = (text: string): string => JSON.stringify(parseJsonExactly(text), null, 2);

/** Text and bytes, one after the other. */
type Parts = readonly (string | Uint8Array)[];

export function joined(parts: Parts): Buffer {
  const whole = Buffer.allocUnsafe(lengthOfParts(parts));
  fillWith(parts, whole);
  return whole;
}

/** In bytes. */
export function lengthOfParts(parts: Parts): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
  return length;
}

export function fillWith(parts: Parts, into: Buffer): void {
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += into.write(part, at);
    else {
      into.set(part, at);
      at += part.length;
    }
  }
}
