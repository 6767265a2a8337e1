import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseLabelSelector } from './label-selector-parser.ts';
import { formatLabelSelector, labelSelectorMatcher, labelsMatcher } from './label-selector.ts';

test('parseLabelSelector reads the grammar of kubectl -l', () => {
  const cases: [string, string][] = [
    ['', ''],
    ['a=b,c!=d', 'a=b,c!=d'],
    ['z=1,a==b', 'a==b,z=1'],
    ['e in (g,f),h notin (i)', 'e in (f,g),h notin (i)'],
    ['j,!k,l>1,m<2', 'j,!k,l>1,m<2'],
    ['x in (foo,,baz),y,z notin ()', 'x in (,baz,foo),y,z notin ()'],
    ['a in (,)', 'a in ()'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['a=', 'a='],
  ];
  for (const [written, canonical] of cases) assert.equal(parseLabelSelector(written).toString(), canonical, written);
});

test('parseLabelSelector refuses with upstream messages', () => {
  const cases: [string, RegExp][] = [
    ['a in', /^unable to parse requirement: found '', expected: '\('$|found '' expected: '\('$/],
    ['a b', /^unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt$/],
    ['a=b c', /^found 'c', expected: ',' or 'end of string'$/],
    ['a=b,', /^found '', expected: identifier after ','$/],
    ['!a=b', /^found '=', expected: ',' or 'end of string'$/],
    ['a in (b', /^unable to parse requirement: found '', expected: ',' or '\)'$/],
    ['>a', /^found '>', expected: !, identifier, or 'end of string'$/],
    ['a-=b', /^unable to parse requirement: <nil>: Invalid value: "a-": name part must consist of/],
    ['a=-b', /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be/],
    ['a>b', /values\[0\]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer$/],
  ];
  for (const [written, message] of cases) assert.throws(() => parseLabelSelector(written), { message }, written);
});

test('LabelMatcher.matches follows the operators', () => {
  const labels = { app: 'web', tier: 'front', n: '5' };
  const cases: [string, boolean][] = [
    ['app=web', true],
    ['app!=web', false],
    ['other!=x', true],
    ['tier in (front,back)', true],
    ['other notin (x)', true],
    ['app', true],
    ['!app', false],
    ['n>4', true],
    ['n<5', false],
    ['app>1', false],
    ['app=web,tier=back', false],
    ['toString', false],
  ];
  for (const [selector, expected] of cases)
    assert.equal(parseLabelSelector(selector).matches(labels), expected, selector);
});

test('LabelMatcher.matches looks at many values once, however many objects it is asked about', () => {
  let reads = 0;
  const names = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
  const values = new Proxy(names, { get: (target, key) => ((reads += 1), Reflect.get(target, key) as unknown) });
  const matcher = labelSelectorMatcher({ matchExpressions: [{ key: 'a', operator: 'NotIn', values }] });
  assert.equal(matcher.matches({ a: 'v999' }), false);
  const before = reads;
  for (let index = 0; index < 100; index += 1) assert.equal(matcher.matches({ a: `w${index}` }), true);
  assert.ok(reads - before < 1_000, `${reads - before} reads`);
});

test('labelSelectorMatcher: absent matches nothing, empty matches all', () => {
  assert.equal(labelSelectorMatcher(undefined).matches({}), false);
  assert.equal(labelSelectorMatcher(null).empty, false);
  assert.equal(labelSelectorMatcher({}).matches(undefined), true);
  assert.equal(labelSelectorMatcher({}).empty, true);
  const matcher = labelSelectorMatcher({
    matchLabels: { a: 'b' },
    matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['d'] }],
  });
  assert.equal(matcher.toString(), 'a=b,c notin (d)');
  assert.equal(matcher.matches({ a: 'b' }), true);
  assert.equal(matcher.matches({ a: 'b', c: 'd' }), false);
  assert.throws(() => labelSelectorMatcher({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }), {
    message: '"Gt" is not a valid label selector operator',
  });
  assert.throws(() => labelSelectorMatcher({ matchExpressions: [{ key: 'a', operator: 'In' }] }), {
    message: `values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`,
  });
});

test('formatLabelSelector shows no selector as kubectl does', () => {
  assert.equal(formatLabelSelector({}), '<none>');
  assert.equal(formatLabelSelector({ matchLabels: { 'bad key': 'x' } }), '<error>');
  assert.equal(formatLabelSelector({ matchLabels: { b: '2', a: '1' } }), 'a=1,b=2');
});

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/).filter((text) => text !== 'in' && text !== 'notin');

const requirement = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('=', '!=', '>', '<'), fc.constantFrom('1', '5', '9')),
  fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(' in ', ' notin '), fc.constantFrom('(1,5)', '(5,9)')),
  fc.tuple(fc.constantFrom('a', 'b', 'c', '!a', '!b', '!c'), fc.constant(''), fc.constant('')),
);
const few = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '5', '7', '9', 'x'));

test('a selector matches what each of its requirements matches, however many keys it has', () => {
  const others = Array.from({ length: 20 }, (_, index) => `!other${index}`);
  fc.assert(
    fc.property(fc.array(requirement, { minLength: 1, maxLength: 5 }), few, (parts, labels) => {
      const texts = parts.map((part) => part.join(''));
      const expected = texts.every((text) => parseLabelSelector(text).matches(labels));
      assert.equal(parseLabelSelector(texts.join()).matches(labels), expected);
      assert.equal(parseLabelSelector([...texts, ...others].join()).matches(labels), expected);
    }),
  );
});

test('LabelMatcher.matches looks at the labels that an object has, however many keys it asks for', () => {
  let reads = 0;
  const keys = Array.from({ length: 1_000 }, (_, index) => `!k${index}`);
  const count = <T>(answer: T): T => ((reads += 1), answer);
  const labels = new Proxy({ a: 'b' } as Record<string, string>, {
    get: (target, key: string) => count(target[key]),
    getOwnPropertyDescriptor: (target, key) => count(Reflect.getOwnPropertyDescriptor(target, key)),
  });
  assert.equal(parseLabelSelector(keys.join()).matches(labels), true);
  assert.ok(reads < 10, `${reads} reads`);
});

test('parseLabelSelector tells a hundred of the values that are wrong', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `-${index}`);
  const isTold = (error: unknown) => (error as Error).message.split('Invalid value').length === 101;
  assert.throws(() => parseLabelSelector(`a in (${values.join()})`), isTold);
});

test('a selector made of labels matches them, and its text parses to itself', () => {
  fc.assert(
    fc.property(fc.dictionary(name, name, { maxKeys: 4 }), (labels) => {
      const matcher = labelsMatcher(labels);
      assert.equal(matcher.matches(labels), true);
      assert.equal(parseLabelSelector(matcher.toString()).toString(), matcher.toString());
    }),
  );
});
