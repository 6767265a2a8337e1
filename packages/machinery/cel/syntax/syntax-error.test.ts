import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CelCompileError } from '../errors.ts';
import { parse } from './parser.ts';

const start =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const cases: readonly (readonly [source: string, ...issues: string[]])[] = [
  ['a b', "extraneous input 'b' expecting <EOF>"],
  ['a b c', "mismatched input 'b' expecting <EOF>"],
  ['(1', "missing ')' at '<EOF>'"],
  ['(1 2', "mismatched input '2' expecting ')'"],
  ['[1 2]', "extraneous input '2' expecting {']', ','}"],
  ['{1 2}', "missing ':' at '2'"],
  ['a.', "no viable alternative at input '.'"],
  ['a.[0]', "no viable alternative at input '.['"],
  ['a.?1', "mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}"],
  ['1 +', `mismatched input '<EOF>' expecting {${start}`],
  ['f(', `mismatched input '<EOF>' expecting {${start.replace("'.'", "')', '.'")}`],
  ['a && && b', `extraneous input '&&' expecting {${start}`],
  ['"abc" + "', `token recognition error at: '"'`, `mismatched input '<EOF>' expecting {${start}`],
  ['a = b', "token recognition error at: '= '", "extraneous input 'b' expecting <EOF>"],
];

test('parse names what is wrong as upstream does', () => {
  for (const [source, ...issues] of cases) {
    const messages = issues.map((issue) => `Syntax error: ${issue}`);
    const thrown = (error: unknown) => {
      assert.ok(error instanceof CelCompileError);
      assert.deepEqual(
        error.issues.map(({ message }) => message),
        messages,
        source,
      );
      return true;
    };
    assert.throws(() => parse(source), thrown, source);
  }
});

test('parse takes a comma alone where a list or map is empty', () => {
  assert.equal(parse('[,]').kind, 'list');
  assert.equal(parse('{,}').kind, 'map');
});
