import { configMapKey } from '@kubernode/machinery';
import { ConfigMap } from '../../generated/types/core/v1.ts';
import { invalid, tooLong } from '../../rules/cause.ts';
import { dataKeys } from '../../rules/metadata.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { dataBytesMax, frozen } from '../../rules/data.ts';
import { age } from '../cells.ts';

import { define } from '../define.ts';

const noKeyTwice: Rule<ConfigMap> = ({ data = {}, binaryData = {} }) =>
  Object.keys(data)
    .filter((key) => Object.hasOwn(binaryData, key))
    .map((key) => invalid(`data[${key}]`, data[key], 'duplicate of key present in binaryData'));

const size: Rule<ConfigMap> = ({ data = {}, binaryData = {} }) => {
  const bytes = [...Object.values(data), ...Object.values(binaryData)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  return bytes > dataBytesMax ? [tooLong('[]', dataBytesMax)] : [];
};

export const configMap = define(ConfigMap, {
  rechecksName: true,
  validate: validate<ConfigMap>(
    fields<ConfigMap>({ data: dataKeys(configMapKey), binaryData: dataKeys(configMapKey) }),
    noKeyTwice,
    size,
  ),
  validateUpdate: validateUpdate<ConfigMap>(frozen<ConfigMap>('data', 'binaryData')),
  row: (object) => [
    object.metadata.name,
    Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length,
    age(object),
  ],
});
