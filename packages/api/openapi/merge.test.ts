import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergedOpenApiV2 } from './merge.ts';

const ref = (name: string) => ({ schema: { $ref: `#/definitions/${name}` } });

test('mergedOpenApiV2 takes paths with what they refer to, and renames what has another content', () => {
  const own = { paths: { '/a': ref('Same') }, definitions: { Same: { type: 'object' }, Other: { type: 'string' } } };
  const theirs = {
    paths: { '/a': ref('Other'), '/b': ref('Other'), '/c': ref('Same') },
    definitions: {
      Same: { type: 'object' },
      Other: { properties: { next: { $ref: '#/definitions/Other' } } },
      Unused: {},
    },
    parameters: {},
  };
  const merged = mergedOpenApiV2(own, [theirs]);
  assert.deepEqual(merged['paths'], { '/a': ref('Same'), '/b': ref('Other_v2'), '/c': ref('Same') });
  assert.deepEqual(merged['definitions'], {
    Other: { type: 'string' },
    Other_v2: { properties: { next: { $ref: '#/definitions/Other_v2' } } },
    Same: { type: 'object' },
  });
});
