import { qualifiedName } from '@kubernode/machinery';
import { invalid, required, tooLong } from '../cause.ts';
import { evenIfAbsent, type Rule } from '../rule.ts';

const entriesMax = 512;
const bytesMax = 256 * 1024;

/** Who provides the volumes of a class: a qualified name, in upper or lower case. */
export const provisioner: Rule<string> = evenIfAbsent((value: string | undefined, path) =>
  value ? qualifiedName(value.toLowerCase()).map((detail) => invalid(path, value, detail)) : [required(path)],
);

/** What a class hands to its provisioner: not too much, and no empty keys. */
export const parameters: Rule<Record<string, string>> = (map, path) => {
  const entries = Object.entries(map);
  if (entries.length > entriesMax) return [tooLong(path, entriesMax)];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...('' in map ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(bytes > bytesMax ? [tooLong(path, bytesMax)] : []),
  ];
};

/** As `parameters`, with one at least. */
export const requiredParameters: Rule<Record<string, string>> = evenIfAbsent(
  (map: Record<string, string> | undefined, path) =>
    map && Object.keys(map).length > 0
      ? parameters(map, path)
      : [required(path, 'must contain at least one key/value pair')],
);
