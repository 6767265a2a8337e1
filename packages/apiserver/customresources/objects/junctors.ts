import { invalid } from '../causes.ts';
import type { Schema } from '../schema.ts';
import { add, merge, type Found } from './found.ts';

/** `anyOf`, `oneOf`, `allOf` and `not`: of alternatives that all fail, the one that fits best is told of. */
export function checkJunctors(schema: Schema, path: string, judge: (schema: Schema) => Found, found: Found): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const refuse = (why: string) => add(found, invalid('<nil>', '', `${JSON.stringify(path)} must ${why}`));
  if (anyOf.length > 0) checkAny(anyOf, judge, found, () => refuse('validate at least one schema (anyOf)'));
  if (oneOf.length > 0) {
    const results = oneOf.map(judge);
    const valid = results.filter(isValid);
    if (valid.length === 1) merge(found, valid[0]!);
    else {
      const how = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      refuse(`validate one and only one schema (oneOf). ${how}`);
      if (valid.length === 0) merge(found, best(results));
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map(judge);
    const valid = results.filter(isValid).length;
    for (const result of results) merge(found, result);
    if (valid < allOf.length) refuse(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not && isValid(judge(not))) refuse('not validate the schema (not)');
  found.matches += 1;
}

/** The first that fits is enough. */
function checkAny(
  schemas: readonly Schema[],
  judge: (schema: Schema) => Found,
  found: Found,
  refuse: () => void,
): void {
  const failed: Found[] = [];
  for (const schema of schemas) {
    const result = judge(schema);
    if (isValid(result)) return merge(found, result);
    failed.push(result);
  }
  refuse();
  merge(found, best(failed));
}

const isValid = ({ causes }: Found) => causes.length === 0;

function best(results: readonly Found[]): Found {
  return results.reduce((a, b) => (b.matches > a.matches ? b : a));
}
