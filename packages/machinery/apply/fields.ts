import { compareElements, formatElement, isElement } from './elements.ts';

/**
 * A set of paths as FieldsV1 writes it: a trie by element. A node without keys is in the set; a node with children is
 * in the set itself where it has ".". The root only holds: {} is the empty set.
 */
export interface Fields {
  readonly [element: string]: Fields;
}

/** The node of a path that is in the set and has nothing below. */
export const leaf: Fields = Object.freeze({});
export const noFields: Fields = leaf;

export function isEmptySet(set: Fields | undefined): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node, not the root, is itself in the set. */
const isMember = (node: Fields) => '.' in node || isEmptySet(node);

/** A node of these children; undefined where neither it nor anything below is in the set. */
export function nodeOf(self: boolean, children: readonly Child[]): Fields | undefined {
  if (children.length === 0) return self ? leaf : undefined;
  const node: Record<string, Fields> = self ? { '.': leaf } : {};
  for (const [element, child] of sorted(children)) node[element] = child;
  return node;
}

/** The root of these children. */
export const rootOf = (children: readonly Child[]): Fields => nodeOf(false, children) ?? noFields;

type Child = readonly [string, Fields];

/** Few are sorted by insertion, which is far cheaper than to set up a sort. */
const insertedMax = 32;

function sorted(children: readonly Child[]): readonly Child[] {
  for (let index = 1; index < children.length; index += 1) {
    if (compareElements(children[index - 1]![0], children[index]![0]) <= 0) continue;
    if (children.length > insertedMax) return [...children].sort((a, b) => compareElements(a[0], b[0]));
    return inserted(children, index);
  }
  return children;
}

/** `first`: what is before this one is in order. */
function inserted(children: readonly Child[], first: number): readonly Child[] {
  const list = children.slice();
  for (let index = first; index < list.length; index += 1) {
    const child = list[index]!;
    let at = index;
    for (; at > 0 && compareElements(list[at - 1]![0], child[0]) > 0; at -= 1) list[at] = list[at - 1]!;
    list[at] = child;
  }
  return list;
}

type Combine = (a: Fields | undefined, b: Fields | undefined) => Fields | undefined;

/** Combines the children of a node with those of another; `self` says whether the node itself is in the result. */
function combineOwn(a: Fields, b: Fields, self: boolean, combine: Combine): Fields | undefined {
  return nodeOf(self, combined(a, b, combine));
}

/** Those that only `b` has are left out: it may be far larger. */
function combined(a: Fields, b: Fields, combine: Combine): [string, Fields][] {
  const children: [string, Fields][] = [];
  for (const element of Object.keys(a)) {
    if (element === '.') continue;
    const child = combine(a[element], Object.hasOwn(b, element) ? b[element] : undefined);
    if (child) children.push([element, child]);
  }
  return children;
}

/** Combines the children of two nodes, element by element. */
function combineChildren(a: Fields, b: Fields, self: boolean, combine: Combine): Fields | undefined {
  const children = combined(a, b, combine);
  for (const element of Object.keys(b)) {
    if (element === '.' || Object.hasOwn(a, element)) continue;
    const child = combine(undefined, b[element]);
    if (child) children.push([element, child]);
  }
  return nodeOf(self, children);
}

const unionNodes: Combine = (a, b) => {
  if (!a || !b || a === b) return a ?? b;
  return combineChildren(a, b, isMember(a) || isMember(b), unionNodes);
};

/** All paths of both. */
export function union(a: Fields, b: Fields): Fields {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  return combineChildren(a, b, false, unionNodes) ?? noFields;
}

/** All paths of many sets, two by two: one after the other into a growing set would take time in the square. */
export function unionOf(sets: readonly Fields[]): Fields {
  if (sets.length <= 2) return union(sets[0] ?? noFields, sets[1] ?? noFields);
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

const intersectNodes: Combine = (a, b) => {
  if (!a || !b || a === b) return a && b;
  return combineOwn(a, b, isMember(a) && isMember(b), intersectNodes);
};

/** The paths that are in both. */
export function intersection(a: Fields, b: Fields): Fields {
  if (isEmptySet(a) || isEmptySet(b)) return noFields;
  return combineOwn(a, b, false, intersectNodes) ?? noFields;
}

const subtractNodes: Combine = (a, b) => {
  if (!a || !b) return a;
  return lessOf(a, isMember(a) && !isMember(b), combined(a, b, subtractNodes));
};

/** The paths of `a` that are not in `b`, path by path; `a` itself where that is all of them. */
export function difference(a: Fields, b: Fields): Fields {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return lessOf(a, false, combined(a, b, subtractNodes)) ?? noFields;
}

/** What is left of a node: the node itself, where that is all of it and in order. */
function lessOf(node: Fields, self: boolean, children: readonly Child[]): Fields | undefined {
  return isMadeOf(node, self, children) ? node : nodeOf(self, children);
}

function isMadeOf(node: Fields, self: boolean, children: readonly Child[]): boolean {
  if (children.length === 0) return self && isEmptySet(node);
  // "." stands before them.
  let index = self ? -1 : 0;
  for (const element in node) {
    const [expected, child] = index < 0 ? dot : (children[index] ?? []);
    if (element !== expected || (child && node[element] !== child)) return false;
    index += 1;
  }
  return index === children.length && sorted(children) === children;
}

const dot = ['.'] as const;

const subtractBelow: Combine = (a, b) => {
  if (!a || !b) return a;
  return isMember(b) ? undefined : combineOwn(a, b, isMember(a), subtractBelow);
};

/** The paths of `a` that are neither in `b` nor below one of its paths. */
export function recursiveDifference(a: Fields, b: Fields): Fields {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return combineOwn(a, b, false, subtractBelow) ?? noFields;
}

/** Every path of the set in messages' form, `.spec.ports[port=80]`; a level's own paths before those below. */
export function formatPaths(set: Fields, prefix = ''): string[] {
  const elements = Object.keys(set).filter((element) => element !== '.');
  const own = elements.filter((element) => isMember(set[element] ?? leaf));
  return [
    ...own.map((element) => prefix + formatElement(element)),
    ...elements.flatMap((element) => formatPaths(set[element] ?? leaf, prefix + formatElement(element))),
  ];
}

/** Whether a client's value is a set: objects all the way down, and every key an element. */
export function isFieldSet(value: unknown, depth = 0): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 100) return false;
  return Object.entries(value).every(([key, child]) => (key === '.' || isElement(key)) && isFieldSet(child, depth + 1));
}
