import { functionTable } from '../function.ts';
import { dynType, objectType, stringType } from '../types.ts';

/** The object type of the operations that a mutating policy's expression makes: `JSONPatch{op: "add", ...}`. */
export const jsonPatchType = objectType(
  'JSONPatch',
  () =>
    new Map([
      ['op', { type: stringType }],
      ['path', { type: stringType }],
      ['from', { type: stringType }],
      ['value', { type: dynType }],
    ]),
);

/** `jsonpatch.escapeKey(key)`: a key as a part of a JSON pointer. */
export const jsonPatchLibrary = functionTable([
  [
    'jsonpatch.escapeKey',
    'string_jsonpatch_escapeKey_string',
    '(string) string',
    (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ],
]);
