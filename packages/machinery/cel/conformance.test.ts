import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { runConformanceCase, type ConformanceCase } from './test-conformance.ts';

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: object }[];
}

/** Suites of what Kubernetes has not: README.md has the reasons. */
const excludedSuites = new Set(['proto2', 'proto2_ext', 'proto3', 'enums', 'math_ext', 'block_ext', 'encoders_ext']);

/** Cases that need protobuf messages. */
const needsMessages = /TestAllTypes|GlobalEnum|NestedEnum|NullValue|"function"|messageType/;

function* cases(suite: Suite, path: string): Generator<readonly [name: string, test: ConformanceCase]> {
  for (const { original } of suite.tests ?? []) {
    const test = original as ConformanceCase;
    if (!needsMessages.test(JSON.stringify(test))) yield [`${path}/${test.name}`, test];
  }
  for (const inner of suite.suites ?? []) {
    if (!excludedSuites.has(inner.name)) yield* cases(inner, `${path}/${inner.name}`);
  }
}

test('compileProgram passes the conformance data of the CEL specification', () => {
  const failures: string[] = [];
  let passed = 0;
  for (const [name, conformanceCase] of cases(tests, '')) {
    const problem = runConformanceCase(conformanceCase);
    if (problem === undefined) passed++;
    else failures.push(`${name}: ${conformanceCase.expr}: ${problem}`);
  }
  if (process.env['CEL_CONFORMANCE'] === 'print') process.stdout.write(`${passed}\n${failures.join('\n')}\n`);
  assert.deepEqual(failures, []);
});
