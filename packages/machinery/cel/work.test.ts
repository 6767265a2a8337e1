/** Expressions whose calls do far more than upstream counts: each would go on for minutes or take all memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileProgram } from './program.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { dynType } from './types.ts';

const environment = kubernetesEnvironment.extend({ variables: { self: dynType } });
const numbers = Array.from({ length: 50_000 }, (_, index) => index);
const self = {
  text: 'a'.repeat(1_000_000),
  half: `${'a'.repeat(500_000)}b`,
  numbers,
  texts: numbers.map(String),
  object: Object.fromEntries(numbers.map((number) => [`k${number}`, number])),
};
/** A list of 2^40 numbers, of which only 80 are there. */
const shared = `[1]${'.map(x, [x, x])'.repeat(40)}`;

const bombs: readonly string[] = [
  'lists.range(900000).distinct().size() > 0',
  'sets.equivalent(self.numbers, self.numbers)',
  `${shared} == ${shared}`,
  `"%s".format([${shared}]) == ""`,
  'self.numbers.map(x, self.numbers).flatten(2).size() > 0',
  'self.numbers.all(i, self.text.size() > 0)',
  'self.numbers.all(i, self.object.exists(k, true))',
  'self.numbers.all(i, timestamp("2020-01-01T00:00:00Z").getHours("Europe/Berlin") >= 0)',
  'self.text.indexOf(self.half) > 0',
  'self.text.contains(self.half)',
  'self.text.replace("a", self.text) == ""',
  'self.texts.map(x, self.text).join() == ""',
  'self.text.matches("(a?){500}a{500}$")',
  'self.text.find("a{1000}$") == ""',
  'self.text.findAll("a.*y|a").size() > 0',
];

for (const bomb of bombs) {
  test(`Program.attempt ends ${bomb.slice(0, 80)}`, () => {
    const { error } = compileProgram(bomb, environment).attempt({ self });
    assert.match(String(error), /actual cost limit exceeded/);
  });
}

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
