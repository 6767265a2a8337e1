/** What nobody means well, in the place of a value, of a name or of a whole body. */
import { encodeCbor, encodeProtobuf } from '@kubernode/api';
import type { ObjectShape, Random } from '@kubernode/machinery';
import { pick, type Plain } from './samples.ts';

/** JSON texts. */
const hostileValues: readonly string[] = [
  'null',
  '-1',
  '-0',
  '-0.0',
  '1e400',
  '1e-400',
  '1.5',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(400),
  '""',
  'true',
  '[]',
  '{}',
  '[null]',
  '{"":null}',
  '{"__proto__":{"x":1},"constructor":{"prototype":1}}',
  '{"toString":1,"hasOwnProperty":null,"valueOf":[]}',
  '[[[[[[[[]]]]]]]]',
  '{"a":1,"a":2}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u2028\\ufeff"',
  '"__proto__"',
  '"constructor"',
  '"../../.."',
  '"%2f%00"',
  '"a\\nb"',
  '"$patch"',
  '{"$patch":"replace"}',
  '{"$patch":"delete","$retainKeys":["a"]}',
  '[{"$patch":"delete","name":"a"}]',
  `"${'a'.repeat(3000)}"`,
  `"${'9'.repeat(3000)}"`,
  `${'['.repeat(999)}${']'.repeat(999)}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `{${Array.from({ length: 300 }, (_, index) => `"k${index}":"v"`).join(',')}}`,
  `[${'"a",'.repeat(300)}"a"]`,
];

/** Somewhere in the text a value becomes a hostile one, or bytes go. */
export function damagedText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  if (random() < 0.2) return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 4));
  const value = pick(hostileValues, random);
  const colon = text.indexOf(':', at);
  if (colon < 0) return value;
  return text.slice(0, colon + 1) + value + text.slice(colon + 1).replace(/^("[^"]*"|[\w.-]+|\{\}|\[\])/, '');
}

export function randomBytes(random: Random): Buffer {
  const bytes = Buffer.from(Uint8Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
  const start = pick(['', '', 'k8s\0', '\xd9\xd9\xf7', '{"', 'a: &a [*a, '], random);
  return Buffer.concat([Buffer.from(start, 'latin1'), bytes]);
}

export interface Body {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** The object in one of the encodings, some of its bytes others than they should be. */
export function damagedBytes(object: Plain, shape: ObjectShape, random: Random): Body {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const isProtobuf = random() < 0.5;
  let bytes: Uint8Array;
  try {
    bytes = isProtobuf ? encodeProtobuf(object, shape, { apiVersion, kind }) : encodeCbor(object, shape);
  } catch {
    bytes = Buffer.from(JSON.stringify(object));
  }
  const damaged = Buffer.from(bytes);
  const count = Math.floor(random() * 4);
  for (let index = 0; index < count; index++) {
    damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
  }
  const cut = random() < 0.2 ? damaged.subarray(0, Math.floor(random() * damaged.length)) : damaged;
  return { type: isProtobuf ? 'application/vnd.kubernetes.protobuf' : 'application/cbor', body: cut };
}

const bodyTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'application/json;charset=utf-16',
  'text/plain',
  'multipart/form-data',
  '*/*',
  ';',
];
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
];

/** Bytes of no meaning, of a type that may not be theirs. */
export const randomBody = (random: Random): Body => ({ type: pick(bodyTypes, random), body: randomBytes(random) });
export const randomPatch = (random: Random): Body => ({ type: pick(patchTypes, random), body: randomBytes(random) });

const hostileQueries: readonly string[] = [
  'dryRun=All&dryRun=None',
  'dryRun=x',
  'fieldValidation=Strict&fieldValidation=Ignore',
  'fieldManager=%00',
  `fieldManager=${'m'.repeat(200)}`,
  'fieldManager=__proto__',
  'force=maybe',
  'resourceVersion=-1',
  'resourceVersion=18446744073709551616',
  'resourceVersion=1e3&resourceVersionMatch=Exact',
  'resourceVersionMatch=NotOlderThan',
  'limit=-1',
  'limit=99999999999999999999',
  'limit=1&continue=e30',
  'continue=%FF%FE',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4vLi4vIn0',
  'labelSelector=a%20in%20(((',
  'labelSelector=!!!a',
  'labelSelector=__proto__%3D1,constructor',
  `labelSelector=${'a%3Db,'.repeat(500)}c`,
  'fieldSelector=metadata.name%3D%5C',
  'fieldSelector=__proto__%3D1',
  `fieldSelector=${'metadata.name!%3Da,'.repeat(500)}spec.nodeName%3Db`,
  'watch=1&timeoutSeconds=1&resourceVersion=999999999999999',
  'timeout=1e9h',
  'timeout=-1s',
  'timeoutSeconds=-1',
  'pretty=%00',
  'gracePeriodSeconds=-9223372036854775808',
  'propagationPolicy=x&orphanDependents=true',
  'a=%ZZ&%=&&&=',
  '=%00%0d%0a',
];
export const hostileQuery = (random: Random): string => pick(hostileQueries, random);

export const accepts: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/cbor;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=__proto__;v=v1;g=meta.k8s.io, */*;q=0',
];
