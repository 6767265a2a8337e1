import { invalid } from './causes.ts';
import type { Schema } from './schema.ts';
import type { Found } from './found.ts';

/** `anyOf`, `oneOf`, `allOf` and `not`: of alternatives that all fail, the one that fits best is told of. */
export function checkJunctors(schema: Schema, path: string, judge: (schema: Schema) => Found, found: Found): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const refuse = (why: string) => found.causes.push(invalid('<nil>', '', `${JSON.stringify(path)} must ${why}`));
  if (anyOf.length > 0) {
    const results = anyOf.map(judge);
    const failed = results.every(({ causes }) => causes.length > 0);
    if (failed) {
      refuse('validate at least one schema (anyOf)');
      found.causes.push(...best(results).causes);
    }
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(judge);
    const valid = results.filter(({ causes }) => causes.length === 0).length;
    if (valid !== 1) {
      const how = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      refuse(`validate one and only one schema (oneOf). ${how}`);
      if (valid === 0) found.causes.push(...best(results).causes);
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map(judge);
    const valid = results.filter(({ causes }) => causes.length === 0).length;
    for (const { causes } of results) found.causes.push(...causes);
    if (valid < allOf.length) refuse(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not && judge(not).causes.length === 0) refuse('not validate the schema (not)');
  found.matches += 1;
}

function best(results: readonly Found[]): Found {
  return results.reduce((a, b) => (b.matches > a.matches ? b : a));
}
