/** Expressions whose calls do far more than upstream counts: each would go on for minutes or take all memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileProgram, perCallCostMax } from './program.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { dynType } from './types.ts';
import { seededRandom } from '../random.ts';

const environment = kubernetesEnvironment.extend({ variables: { self: dynType } });
const numbers = Array.from({ length: 50_000 }, (_, index) => index);
const self = {
  text: 'a'.repeat(1_000_000),
  half: `${'a'.repeat(500_000)}b`,
  numbers,
  texts: numbers.map(String),
  object: Object.fromEntries(numbers.map((number) => [`k${number}`, number])),
  copy: Object.fromEntries(numbers.map((number) => [`k${number}`, number])),
  random: randomText(100_000),
};

/** Of a and b, without a period that a pattern could learn. */
function randomText(length: number): string {
  const random = seededRandom(1);
  return Array.from({ length }, () => (random() < 0.5 ? 'a' : 'b')).join('');
}

/** A list of 2^40 numbers, of which only 80 are there. */
const shared = `[1]${'.map(x, [x, x])'.repeat(40)}`;

const bombs: readonly string[] = [
  'lists.range(900000).distinct().size() > 0',
  'sets.equivalent(self.numbers, self.numbers)',
  `${shared} == ${shared}`,
  `"%s".format([${shared}]) == ""`,
  'self.numbers.map(x, self.numbers).flatten(2).size() > 0',
  'self.numbers.all(i, self.text.size() > 0)',
  'self.numbers.all(i, self.object == self.copy)',
  'self.texts.all(t, "a".matches(t + "(a{30}b{30}){30}") || true)',
  'self.numbers.all(i, timestamp("2020-01-01T00:00:00Z").getHours("Europe/Berlin") >= 0)',
  'self.text.indexOf(self.half) > 0',
  'self.text.contains(self.half)',
  'self.text.replace("a", self.text) == ""',
  'self.texts.map(x, self.text).join() == ""',
  'self.random.matches("(a|b)*a(a|b){900}$")',
  'self.text.find("a{1000}$") == ""',
  'self.text.findAll("a.*y|a").size() > 0',
];

for (const bomb of bombs) {
  test(`Program.attempt ends ${bomb.slice(0, 80)}`, () => {
    // A tenth of what one may cost, for this takes time in proportion.
    const { error } = compileProgram(bomb, environment).attempt({ self }, perCallCostMax / 10);
    assert.match(String(error), /actual cost limit exceeded/);
  });
}

/** What upstream evaluates within its budget, and what it counts for it. */
const item = (name: string, index: number) => ({
  image: 'registry/a/b:c',
  labels: { app: 'a', tier: 'b' },
  args: ['a', 'b'],
  ports: [{ port: 80 }, { port: 443 }],
  name: `${name}-${index}`,
  deep: { deeper: { index } },
});
const items = (count: number, name = 'item') => Array.from({ length: count }, (_, index) => item(name, index));
const long = Array.from({ length: 60 }, (_, index) => `${'abcdefghi'.repeat(100).slice(5)}${10_000 + index}`);

const legal: readonly (readonly [expression: string, self: unknown])[] = [
  ['self.all(x, self.exists_one(y, y == x))', items(200)],
  ['self.all(k, self.exists(l, self[l] == self[k]))', Object.fromEntries(items(200).entries())],
  ['self.a.all(x, self.b.exists(y, y == x))', { a: items(200), b: items(200) }],
  ['self.a.all(x, x in self.b)', { a: items(400), b: items(400) }],
  ['sets.contains(self.a, self.b)', { a: items(900), b: items(900) }],
  ['self.distinct().size() == self.size()', items(600)],
  ['self.all(k, self.exists(l, true))', Object.fromEntries(long.map((text) => [text, text]))],
  ['self.all(x, x.matches("^[a-z0-9]{1,1000}$"))', long],
  ['self.all(x, x.matches("[a-z0-9]{1,1000}$"))', long],
  ['self.all(x, x.matches("^[a-z0-9]([-a-z0-9]{0,1000}[a-z0-9])?$"))', long],
  ['self.all(x, x.find("[0-9]{1,10}$") != "")', long],
  ['self.all(x, x.findAll("[a-z]+|[0-9]").size() > 0)', long],
  ['self.matches("(a?){500}a{500}$")', 'a'.repeat(100_000)],
];

for (const [expression, value] of legal) {
  test(`Program.attempt lets ${expression} end`, () => {
    const { value: result, error, cost } = compileProgram(expression, environment).attempt({ self: value });
    assert.deepEqual({ result, error }, { result: true, error: undefined });
    assert.ok(cost < perCallCostMax, String(cost));
  });
}

test('Program.attempt charges what was done before an error', () => {
  const { error, cost } = compileProgram('self == self.map(x, x) && [][0] == 1', environment).attempt({
    self: items(9_000),
  });
  assert.match(String(error), /index out of bounds/);
  assert.ok(cost > 10_000, String(cost));
});

const patient: readonly (readonly [expression: string, error: RegExp])[] = [
  [`duration("${'00m'.repeat(100)}".replace("x", "") + "x") == duration("1s")`, /invalid duration/],
  [`double("${'1'.repeat(50_000)}" + "x") > 1.0`, /invalid syntax/],
  ['int(self.text.replace("a", "1")) > 1', /out of range/],
];

for (const [expression, message] of patient) {
  test(`Program.attempt refuses at once ${expression.slice(0, 40)}`, () => {
    assert.match(String(compileProgram(expression, environment).attempt({ self }).error), message);
  });
}

test('Program.attempt trims a text that has many spaces within', () => {
  const spaces = `x${' '.repeat(500_000)}x`;
  assert.equal(compileProgram('self.trim() == self', environment).attempt({ self: spaces }).value, true);
});
