import { deepEqual } from '@kubernode/machinery';
import type { Device, ResourceSlice, ResourceSliceSpec } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, required, tooMany } from '../cause.ts';
import { nodeSelector } from '../pod/scheduling.ts';
import { attributeCauses, attributeKeyMax } from './attributes.ts';
import { bindingConditions, skippedOperations } from './binding.ts';
import { capacityCauses } from './capacity.ts';
import { attributeName, driverName, keyIn, nodeName, poolName, shortName } from './names.ts';
import { nodeResources } from './node-resources.ts';
import { partitionType } from './partition.ts';
import { taintCauses } from './taint.ts';

const devicesMax = 128;
const specialDevicesMax = 64;
const taintsMax = 16;
const countersMax = 32;
const counterSetsMax = 8;
const consumptionsMax = 2;

type Selection = Pick<ResourceSliceSpec, 'nodeName' | 'nodeSelector' | 'allNodes' | 'perDeviceNodeSelection'>;

/** What a driver publishes of a pool (validateResourceSliceSpec); `old` is the slice before an update. */
export function resourceSlice({ spec }: ResourceSlice, old?: ResourceSlice): readonly FieldCause[] {
  const { driver, pool, devices = [], sharedCounters } = spec;
  const found = [...driverName(driver, 'spec.driver'), ...poolName(pool.name, 'spec.pool.name')];
  if (pool.resourceSliceCount <= 0)
    found.push(invalid('spec.pool.resourceSliceCount', pool.resourceSliceCount, 'must be greater than zero'));
  if (pool.generation < 0)
    found.push(invalid('spec.pool.generation', pool.generation, 'must be greater than or equal to zero'));
  if (old) found.push(...immutableCauses(spec, old.spec));
  found.push(...selectionCauses(spec));
  if (sharedCounters && spec.devices)
    found.push(invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  const max = devices.some(isSpecial) ? specialDevicesMax : devicesMax;
  if (devices.length > max) found.push(tooMany('spec.devices', devices.length, max));
  else found.push(...devicesCauses(spec, devices, old?.spec.devices ?? []));
  if ((sharedCounters?.length ?? 0) <= counterSetsMax)
    sharedCounters?.forEach(({ counters }, index) =>
      found.push(...counterCauses(counters, `spec.sharedCounters[${index}].counters`)),
    );
  found.push(...partitionType(spec));
  return [...found, ...skippedOperations(spec.skipNodeOperations, 'spec.skipNodeOperations')];
}

const isSpecial = ({ taints, consumesCounters, attributes }: Device) =>
  Boolean(taints?.length) ||
  Boolean(consumesCounters?.length) ||
  Object.values(attributes ?? {}).some(({ bools, ints, strings, versions }) => bools ?? ints ?? strings ?? versions);

function immutableCauses(spec: ResourceSliceSpec, old: ResourceSliceSpec): FieldCause[] {
  const changed = (path: string, value: unknown, before: unknown) =>
    deepEqual(value, before) ? [] : [invalid(path, value, 'field is immutable')];
  return [
    ...changed('spec.pool.name', spec.pool.name, old.pool.name),
    ...changed('spec.driver', spec.driver, old.driver),
    ...changed('spec.nodeName', spec.nodeName, old.nodeName),
  ];
}

/** Which nodes reach the devices: said once, in one of four ways. */
function selectionCauses(spec: Selection): FieldCause[] {
  const terms = spec.nodeSelector?.nodeSelectorTerms ?? [];
  const { found, ways } = waysOf(spec, 'spec', 'must be either unset or set to a non-empty string');
  if (spec.nodeSelector && terms.length !== 1)
    found.push(invalid('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term'));
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (ways.length === 0) found.push(required('spec', detail));
  if (ways.length > 1) found.push(invalid('spec', `{${ways.join(', ')}}`, `${detail}, but multiple fields are set`));
  return found;
}

function waysOf(spec: Selection, path: string, noName: string): { found: FieldCause[]; ways: string[] } {
  const found: FieldCause[] = [];
  const ways: string[] = [];
  if (spec.nodeName) {
    ways.push('`nodeName`');
    found.push(...nodeName(spec.nodeName, `${path}.nodeName`));
  } else if (spec.nodeName === '') found.push(invalid(`${path}.nodeName`, '', noName));
  if (spec.nodeSelector) {
    ways.push('`nodeSelector`');
    found.push(...nodeSelector(spec.nodeSelector, `${path}.nodeSelector`));
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[name]) ways.push(`\`${name}\``);
    else if (spec[name] === false) found.push(invalid(`${path}.${name}`, false, 'must be either unset or set to true'));
  }
  return { found, ways };
}

function devicesCauses(spec: ResourceSliceSpec, devices: readonly Device[], old: readonly Device[]): FieldCause[] {
  const seen = new Set<string>();
  const repeated: FieldCause[] = [];
  const former = new Map(old.map((device) => [device.name, device]));
  const found = devices.flatMap((device, index) => {
    const path = `spec.devices[${index}]`;
    if (seen.has(device.name)) repeated.push(duplicate(path, device.name));
    seen.add(device.name);
    return deviceCauses(device, former.get(device.name), path, spec.perDeviceNodeSelection === true);
  });
  return [...found, ...repeated];
}

/** One device; capacities and taints that it had before are not judged again. */
function deviceCauses(device: Device, old: Device | undefined, path: string, selectsNodes: boolean): FieldCause[] {
  const { capacity = {}, taints = [], consumesCounters = [] } = device;
  const found = [...shortName(device.name, `${path}.name`), ...attributeCauses(device, path)];
  if (!old || !deepEqual(old.capacity, device.capacity)) {
    const isShared = device.allowMultipleAllocations === true;
    for (const [name, one] of Object.entries(capacity)) {
      found.push(...attributeName(name, `${path}.capacity`));
      found.push(...capacityCauses(one, keyIn(`${path}.capacity`, name, attributeKeyMax), isShared));
    }
  }
  if (!old || !deepEqual(old.taints, device.taints)) {
    if (taints.length > taintsMax) found.push(tooMany(`${path}.taints`, taints.length, taintsMax));
    else taints.forEach((taint, index) => found.push(...taintCauses(taint, `${path}.taints[${index}]`)));
  }
  if (consumesCounters.length <= consumptionsMax)
    consumesCounters.forEach(({ counters }, index) =>
      found.push(...counterCauses(counters, `${path}.consumesCounters[${index}].counters`)),
    );
  found.push(...deviceSelection(device, path, selectsNodes), ...bindingConditions(device, path));
  return [...found, ...nodeResources(device, `${path}.nodeAllocatableResources`)];
}

const counterCauses = (counters: object = {}, path: string): FieldCause[] => {
  const count = Object.keys(counters).length;
  return count > countersMax ? [tooMany(path, count, countersMax)] : [];
};

function deviceSelection(device: Device, path: string, selectsNodes: boolean): FieldCause[] {
  const { nodeName: name, nodeSelector: selector, allNodes } = device;
  if (!selectsNodes) {
    if (name === undefined && selector === undefined && allNodes === undefined) return [];
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return [invalid(path, null, detail)];
  }
  const { found, ways } = waysOf({ nodeName: name, nodeSelector: selector, allNodes }, path, 'must not be empty');
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (ways.length === 0) found.push(required(path, detail));
  if (ways.length > 1) found.push(invalid(path, `{${ways.join(', ')}}`, detail));
  return found;
}
