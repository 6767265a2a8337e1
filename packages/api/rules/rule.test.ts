import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, at, each, eachKey, evenIfAbsent, fields, inOrder, orZero, when } from './rule.ts';
import { atLeast, immutable, oneOf, portNumber, required, unique, uniqueBy } from './values.ts';

interface Port {
  name?: string;
  port?: number;
}

const found = (causes: readonly { reason: string; field: string }[]) =>
  causes.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);

test('fields names the path of what each rule finds', () => {
  const rule = fields<{ ports: Port[]; type: string }>({
    ports: each(fields<Port>({ name: required, port: orZero(portNumber) })),
    type: oneOf('A', 'B'),
  });
  assert.deepEqual(found(rule({ ports: [{ name: 'a', port: 1 }, {}], type: 'C' }, 'spec')), [
    'Required spec.ports[1].name',
    'Invalid spec.ports[1].port',
    'NotSupported spec.type',
  ]);
});

test('inOrder stops at the first rule that finds something, all does not', () => {
  const never = atLeast(10);
  assert.equal(inOrder([never, never])(1, 'x').length, 1);
  assert.equal(all(never, never)(1, 'x').length, 2);
});

test('at descends a dotted path and stays silent where a level misses', () => {
  const rule = at<number>('spec.replicas', atLeast(0));
  assert.deepEqual(found(rule({ spec: { replicas: -1 } }, '')), ['Invalid spec.replicas']);
  assert.deepEqual(rule({}, ''), []);
});

test('evenIfAbsent rules are asked about absent values, others are not', () => {
  const asked: unknown[] = [];
  const ask = (value: unknown) => {
    asked.push(value);
    return [];
  };
  fields<{ a?: string; b?: string }>({ a: ask, b: evenIfAbsent(ask) })({}, '');
  assert.deepEqual(asked, [undefined]);
});

test('immutable compares with the old value and takes empty for absent', () => {
  const rule = fields<{ data?: object | undefined }>({ data: immutable });
  assert.deepEqual(rule({ data: {} }, '', {}), []);
  assert.deepEqual(found(rule({}, '', { data: { a: 1 } })), ['Invalid data']);
});

test('when applies its rules only where the condition holds', () => {
  const rule = when<Port>(({ name }) => name === 'x', fields<Port>({ port: portNumber }));
  assert.deepEqual(rule({ name: 'y', port: 0 }, ''), []);
  assert.deepEqual(found(rule({ name: 'x', port: 0 }, '')), ['Invalid port']);
});

test('unique and uniqueBy name the second of two alike', () => {
  assert.deepEqual(found(unique(['a', 'b', 'a'], 'list')), ['Duplicate list[2]']);
  assert.deepEqual(found(uniqueBy<Port>('name')([{ name: 'a' }, { name: 'a' }, {}, {}], 'ports')), [
    'Duplicate ports[1].name',
  ]);
});

test('eachKey puts the key into the path', () => {
  assert.deepEqual(found(eachKey(oneOf('a'))({ a: 1, 'b.c': 2 }, 'data')), ['NotSupported data[b.c]']);
});
