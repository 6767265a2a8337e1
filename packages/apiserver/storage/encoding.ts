import type { KubernetesObject } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import { encodeJsonText } from '@kubernode/api';

/** An object as the server handles it: metadata is known, the rest is the kind's. */
export type ApiObject = KubernetesObject & { [field: string]: unknown };

/**
 * The stored form is JSON whose resourceVersion is left open ("0"): it is known only at the commit. It stands in
 * metadata before everything a client can name freely, so the first occurrence of the text is always the right one.
 */
const openRevision = Buffer.from('"resourceVersion":"0"');
const digitOffset = openRevision.length - 2;

/** The bytes for the store. Sets the object's resourceVersion to the open one. */
export function encodeOpen(object: ApiObject, shape: ObjectShape): Buffer {
  object.metadata.resourceVersion = '0';
  return Buffer.from(encodeJsonText(object, shape));
}

/** The bytes that are served: the stored ones with their revision spliced in. Throws on bytes that are not ours. */
export function withRevision(open: Uint8Array, revision: number): Buffer {
  const source = Buffer.isBuffer(open) ? open : Buffer.from(open.buffer, open.byteOffset, open.byteLength);
  const found = source.indexOf(openRevision);
  if (found < 0) throw new Error('the stored value is not an object of this server: it has no open resourceVersion');
  const digits = String(revision);
  return spliced(source, found + digitOffset, 1, digits, Buffer.allocUnsafe(source.length - 1 + digits.length));
}

/**
 * Served bytes at another revision: a deletion shows the last object at the revision that deleted it. They have memory of
 * their own: the history keeps them, and would keep 64 KB of passing things of Node's pool with each.
 */
export function atRevision(served: Buffer, from: number, to: number): Buffer {
  const at = served.indexOf(`"resourceVersion":"${from}"`) + digitOffset;
  const [oldLength, digits] = [String(from).length, String(to)];
  const own = Buffer.allocUnsafeSlow(served.length - oldLength + digits.length);
  return spliced(served, at, oldLength, digits, own);
}

function spliced(source: Buffer, at: number, oldLength: number, digits: string, bytes: Buffer): Buffer {
  source.copy(bytes, 0, 0, at);
  bytes.write(digits, at, 'latin1');
  source.copy(bytes, at + digits.length, at + oldLength);
  return bytes;
}
