import type { ResourceSliceSpec } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required } from '../cause.ts';
import { attributeName } from './names.ts';

/** Devices that consume counters have the attribute that tells their type, as a string. */
export function partitionType(spec: ResourceSliceSpec): readonly FieldCause[] {
  const { partitionTypeAttribute: name, devices = [], driver } = spec;
  if (name === undefined) return [];
  if (!devices.some(({ consumesCounters }) => consumesCounters?.length)) {
    const detail = 'may only be set on a slice which declares devices that consume counters';
    return [invalid('spec.partitionTypeAttribute', name, detail)];
  }
  if (!name.includes('/') || attributeName(name, '').length > 0) return [];
  const bareName = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  return devices.flatMap(({ consumesCounters, attributes = {} }, index) => {
    if (!consumesCounters?.length) return [];
    const at = `spec.devices[${index}].attributes[${name}]`;
    const attribute = attributes[name] ?? attributes[bareName];
    if (!attribute) {
      const detail = 'device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set';
      return [required(at, detail)];
    }
    if (attribute.string !== undefined) return [];
    return [invalid(at, attribute, 'must be a string value because `partitionTypeAttribute` names this attribute')];
  });
}
