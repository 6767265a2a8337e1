import { deepClone } from '../deep.ts';
import { isPlain, sameJson, setOwn } from '../json-value.ts';
import { PatchedLists } from './patched-lists.ts';

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A patch that does not apply; the API answers it with 422. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** The document as it becomes, and how much of it `copy` has made. */
interface Root {
  value: unknown;
  copiedBytes: number;
  readonly lists: PatchedLists;
}

/** Copies of copies double: a short patch could otherwise make a document of any size (--json-patch-max-copy-bytes). */
const copiedBytesMax = 3 * 1024 * 1024;

type Container = Record<string, unknown> | unknown[];

/**
 * Applies RFC 6902 as the API server does: `replace` of a missing key adds it, negative indexes count from the end,
 * `add` without a value adds null. `doc` stays as it is. Throws a PatchError with upstream's wording where an operation
 * does not apply, and for a key that would change an object's prototype.
 */
export function jsonPatch(doc: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root: Root = { value: deepClone(doc), copiedBytes: 0, lists: new PatchedLists() };
  for (const operation of operations) applyOperation(root, operation);
  root.lists.settleAll();
  return root.value;
}

function applyOperation(root: Root, operation: JsonPatchOperation): void {
  const { op } = operation;
  const apply = typeof op === 'string' && Object.hasOwn(appliers, op) ? appliers[op] : undefined;
  if (!apply) throw new PatchError(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  apply(root, operation);
}

const appliers: Readonly<Record<string, (root: Root, operation: JsonPatchOperation) => void>> = {
  add(root, operation) {
    const path = pathOf(operation, 'add');
    const target = locate(root, path);
    if (!target) throw missing(`add operation does not apply: doc is missing path: "${path}"`);
    wrapped(`error in add for path: '${path}'`, () => addTo(root, target, deepClone(valueOf(operation))));
  },
  remove(root, operation) {
    const path = pathOf(operation, 'remove');
    const target = locate(root, path);
    if (!target) throw missing(`remove operation does not apply: doc is missing path: "${path}"`);
    wrapped(`error in remove for path: '${path}'`, () => removeFrom(root, target));
  },
  replace(root, operation) {
    const path = pathOf(operation, 'replace');
    if (path === '') {
      replaceRoot(root, valueOf(operation));
      return;
    }
    const target = locate(root, path);
    if (!target) throw missing(`replace operation does not apply: doc is missing path: ${path}`);
    const { container, key } = target;
    if (!Array.isArray(container)) return setOwn(container, key, deepClone(valueOf(operation)));
    const index = resolveIndex(key, root.lists.lengthOf(container));
    if (index === undefined) throw missing(`replace operation does not apply: doc is missing key: ${path}`);
    root.lists.set(container, index, deepClone(valueOf(operation)));
  },
  move(root, operation) {
    const source = sourceOf(root, operation, 'move');
    const value = wrapped(`error in move for path: '${source.key}'`, () => {
      const found = readFrom(root, source);
      removeFrom(root, source);
      return found;
    });
    const path = pathOf(operation, 'move');
    const target = locate(root, path);
    if (!target) throw missing(`move operation does not apply: doc is missing destination path: ${path}`);
    wrapped(`error in move for path: '${path}'`, () => addTo(root, target, value));
  },
  copy(root, operation) {
    const source = sourceOf(root, operation, 'copy');
    const value = wrapped(`error in copy for from: '${operation.from}'`, () => readFrom(root, source));
    root.lists.settleWithin(value);
    countCopy(root, value);
    const path = pathOf(operation, 'copy');
    const target = locate(root, path);
    if (!target) throw missing(`copy operation does not apply: doc is missing destination path: ${path}`);
    wrapped('error while adding value during copy', () => addTo(root, target, deepClone(value) ?? null));
  },
  test(root, operation) {
    const path = pathOf(operation, 'test');
    const target = path === '' ? undefined : locate(root, path);
    if (!target && path !== '') throw missing(`test operation does not apply: is missing path: ${path}`);
    const actual = target ? wrapped(`error in test for path: '${path}'`, () => readFrom(root, target)) : root.value;
    root.lists.settleWithin(actual);
    if (!sameJson(actual ?? null, valueOf(operation)))
      throw new PatchError(`testing value ${path} failed: test failed`);
  },
};

function countCopy(root: Root, value: unknown): void {
  root.copiedBytes += JSON.stringify(value ?? null).length;
  if (root.copiedBytes <= copiedBytesMax) return;
  const size = `the accumulated size increase of copy is ${root.copiedBytes}, exceeding the limit ${copiedBytesMax}`;
  throw new PatchError(`Unable to complete the copy, ${size}`);
}

const missing = (message: string) => new PatchError(`${message}: missing value`);
const valueOf = (operation: JsonPatchOperation) => operation.value ?? null;

function pathOf(operation: JsonPatchOperation, op: string): string {
  if (typeof operation.path !== 'string') throw missing(`${op} operation failed to decode path`);
  return operation.path;
}

function sourceOf(root: Root, operation: JsonPatchOperation, op: string): Target {
  if (typeof operation.from !== 'string') throw missing(`${op} operation failed to decode from`);
  const source = locate(root, operation.from);
  if (!source) throw missing(`${op} operation does not apply: doc is missing from path: ${operation.from}`);
  return source;
}

interface Target {
  readonly container: Container;
  readonly key: string;
}

/** The container of a path's last segment; what stands before the first slash is not looked at. */
function locate(root: Root, path: string): Target | undefined {
  const segments = path.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (segments.length < 2) return undefined;
  let container: unknown = root.value;
  for (const segment of segments.slice(1, -1)) {
    if (Array.isArray(container)) {
      const index = resolveIndex(segment, root.lists.lengthOf(container));
      container = index === undefined ? undefined : root.lists.at(container, index);
    } else if (isPlain(container)) container = Object.hasOwn(container, segment) ? container[segment] : undefined;
  }
  if (typeof container !== 'object' || container === null) return undefined;
  return { container: container as Container, key: segments.at(-1) ?? '' };
}

function replaceRoot(root: Root, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    throw new PatchError('replace operation value must be object or array');
  }
  root.value = deepClone(value);
}

function readFrom({ lists }: Root, { container, key }: Target): unknown {
  if (Array.isArray(container)) return lists.at(container, indexIn(key, lists.lengthOf(container)));
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

/** The value becomes part of the document as it is. */
function addTo({ lists }: Root, { container, key }: Target, value: unknown): void {
  if (!Array.isArray(container)) return setOwn(container, key, value);
  const length = lists.lengthOf(container);
  lists.insert(container, key === '-' ? length : indexIn(key, length + 1), value);
}

function removeFrom({ lists }: Root, { container, key }: Target): void {
  if (Array.isArray(container)) lists.remove(container, indexIn(key, lists.lengthOf(container)));
  else if (!Object.hasOwn(container, key)) throw missing(`Unable to remove nonexistent key: ${key}`);
  else delete container[key];
}

/** The place that an index stands for in a list of that length; -1 is the last. */
function resolveIndex(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number(key);
  if (index >= length || index < -length) return undefined;
  return index < 0 ? index + length : index;
}

function indexIn(key: string, length: number): number {
  const index = resolveIndex(key, length);
  if (index !== undefined) return index;
  if (/^[+-]?\d+$/.test(key)) {
    throw new PatchError(`Unable to access invalid index: ${Number(key)}: invalid index referenced`);
  }
  throw new PatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
}

function wrapped<T>(context: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new PatchError(`${context}: ${(error as Error).message}`, { cause: error });
  }
}
