import type { DeviceTaint, DeviceTaintSelector } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { driverName, nameOfLabel, poolName, shortName, valueOfLabel } from './names.ts';

/** A taint's key and value; markers say what effects there are. */
export function taintCauses({ key, value }: DeviceTaint, path: string): readonly FieldCause[] {
  return [...nameOfLabel(key, `${path}.key`), ...(value ? valueOfLabel(value, `${path}.value`) : [])];
}

/** Which devices a rule taints: those of a driver, a pool, one device. */
export function taintSelector({ driver, pool, device }: DeviceTaintSelector, path: string): readonly FieldCause[] {
  return [
    ...(driver === undefined ? [] : driverName(driver, `${path}.driver`)),
    ...(pool === undefined ? [] : poolName(pool, `${path}.pool`)),
    ...(device === undefined ? [] : shortName(device, `${path}.device`)),
  ];
}
