import type { Device, DeviceAttribute } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, tooLong } from '../cause.ts';
import { parseVersion } from '../semantic-version.ts';
import { attributeName, keyIn } from './names.ts';

const valueBytesMax = 64;
const namesMax = 32;
const valuesMax = 48;
/** A domain, a slash and an identifier. */
export const attributeKeyMax = 96;

/** A device's attributes: names, values, and how many there are together with its capacities. */
export function attributeCauses({ attributes = {}, capacity = {} }: Device, path: string): readonly FieldCause[] {
  const found: FieldCause[] = [];
  const names = Object.keys(attributes).length + Object.keys(capacity).length;
  if (names > namesMax)
    found.push(invalid(path, names, `the total number of attributes and capacities must not exceed ${namesMax}`));
  const values = Object.values(attributes).reduce((sum, attribute) => sum + Math.max(1, itemsOf(attribute)), 0);
  if (values > valuesMax)
    found.push(invalid(path, values, `the total number of attribute values must not exceed ${valuesMax}`));
  for (const [name, attribute] of Object.entries(attributes)) {
    found.push(...attributeName(name, `${path}.attributes`));
    found.push(...valueCauses(attribute, keyIn(`${path}.attributes`, name, attributeKeyMax)));
  }
  return found;
}

const lists = ['bools', 'ints', 'strings', 'versions'] as const;

const itemsOf = (attribute: DeviceAttribute) => lists.reduce((sum, name) => sum + (attribute[name]?.length ?? 0), 0);

/** That there is exactly one value, the facts' markers say. */
function valueCauses(attribute: DeviceAttribute, path: string): FieldCause[] {
  const { string: text, version, strings = [], versions = [] } = attribute;
  const found: FieldCause[] = [];
  if (text !== undefined) found.push(...bytes(text, `${path}.string`));
  if (version !== undefined) found.push(...versionCauses(version, `${path}.version`));
  for (const name of lists) {
    if (attribute[name]?.length === 0) found.push(invalid(`${path}.${name}`, [], 'must not be empty if specified'));
  }
  strings.forEach((value, index) => found.push(...bytes(value, `${path}.strings[${index}]`)));
  versions.forEach((value, index) => found.push(...versionCauses(value, `${path}.versions[${index}]`)));
  return found;
}

const bytes = (value: string, path: string): FieldCause[] =>
  Buffer.byteLength(value) > valueBytesMax ? [tooLong(path, valueBytesMax)] : [];

function versionCauses(version: string, path: string): FieldCause[] {
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [...(parseVersion(version) ? [] : [invalid(path, version, detail)]), ...bytes(version, path)];
}
