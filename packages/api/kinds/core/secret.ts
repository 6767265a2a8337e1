import { configMapKey, table } from '@kubernode/machinery';
import { Secret } from '../../generated/types/core/v1.ts';
import { invalid, required as requiredCause, tooLong } from '../../rules/cause.ts';
import { dataBytesMax, frozen } from '../../rules/data.ts';
import { dataKeys } from '../../rules/metadata.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { immutable } from '../../rules/values.ts';
import { keyPairError } from '../../rules/tls-pair.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const serviceAccountName = 'kubernetes.io/service-account.name';

/** What each type must hold; a login needs only one of its two. */
const keysOf: Readonly<Record<string, readonly string[]>> = table({
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
});

const contents: Rule<Secret> = ({ type = '', data = {}, metadata }) => {
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[serviceAccountName]) {
    return [requiredCause(`metadata.annotations[${serviceAccountName}]`)];
  }
  if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
    return ['username', 'password'].map((key) => requiredCause(`data[${key}]`));
  }
  const has = (key: string) => (type === 'kubernetes.io/ssh-auth' ? Boolean(data[key]) : Object.hasOwn(data, key));
  const missing = (keysOf[type] ?? []).filter((key) => !has(key)).map((key) => requiredCause(`data[${key}]`));
  return [
    ...missing,
    ...(missing.length === 0 && type.startsWith('kubernetes.io/dockerc')
      ? jsonText(data, keysOf[type]?.[0] ?? '')
      : []),
  ];
};

const jsonText = (data: Readonly<Record<string, string>>, key: string) => {
  try {
    const value: unknown = JSON.parse(Buffer.from(data[key] ?? '', 'base64').toString());
    if (typeof value === 'object' && !Array.isArray(value)) return [];
    return [invalid(`data[${key}]`, '<secret contents redacted>', 'json: cannot unmarshal into an object')];
  } catch {
    return [invalid(`data[${key}]`, '<secret contents redacted>', 'invalid character in JSON')];
  }
};

const size: Rule<Secret> = ({ data = {} }) => {
  const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);
  return bytes > dataBytesMax ? [tooLong('data', dataBytesMax)] : [];
};

export const secret = define(Secret, {
  rechecksName: true,
  warnings({ type, data = {} }) {
    if (type !== 'kubernetes.io/tls') return [];
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(data[name] ?? '', 'base64').toString());
    const error = keyPairError(certificate ?? '', key ?? '');
    return error === undefined ? [] : [error];
  },
  defaults(object) {
    object.type ||= 'Opaque';
    if (!object.stringData) return;
    const encoded = Object.entries(object.stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    object.data = { ...object.data, ...Object.fromEntries(encoded) };
    delete object.stringData;
  },
  validate: validate<Secret>(fields<Secret>({ data: dataKeys(configMapKey) }), contents, size),
  validateUpdate: validateUpdate<Secret>(all<Secret>(fields<Secret>({ type: immutable }), frozen<Secret>('data'))),
  selectableFields: { type: ({ type }) => type ?? '' },
  row: (object) => [object.metadata.name, object.type ?? '', Object.keys(object.data ?? {}).length, age(object)],
});
