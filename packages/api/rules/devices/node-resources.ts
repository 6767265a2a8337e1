import { compareQuantities } from '@kubernode/machinery';
import type {
  Device,
  NodeAllocatableMapping,
  NodeAllocatableOverhead,
  NodeAllocatableResource,
} from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notFound, required } from '../cause.ts';

type Capacities = Device['capacity'];

/** What of a node's own resources a device takes. */
export function nodeResources({ nodeAllocatableResources: map = {}, capacity }: Device, path: string): FieldCause[] {
  return Object.entries(map).flatMap(([name, resource]) =>
    resourceCauses(name, resource, capacity, `${path}[${name}]`),
  );
}

function resourceCauses(name: string, resource: NodeAllocatableResource, capacity: Capacities, path: string) {
  const { mapping, overhead } = resource;
  const found: FieldCause[] = [];
  if (name !== 'cpu' && name !== 'memory' && !name.startsWith('hugepages-'))
    found.push(invalid(path, name, 'must be a node allocatable resource name'));
  if (!mapping && !overhead) found.push(required(path, 'at least one of mapping or overhead must be set'));
  if (mapping) found.push(...mappingCauses(mapping, capacity, `${path}.mapping`));
  if (overhead) found.push(...overheadCauses(overhead, `${path}.overhead`));
  return found;
}

function mappingCauses(mapping: NodeAllocatableMapping, capacity: Capacities, path: string): FieldCause[] {
  const { capacityKey: key, capacityMultiplier: multiplier, deviceMultiplier } = mapping;
  const found: FieldCause[] = [];
  if (key === '') found.push(invalid(`${path}.capacityKey`, '', 'capacityKey must not be an empty string'));
  else if (key !== undefined && !capacity?.[key]) found.push(notFound(`${path}.capacityKey`, key));
  const at = `${path}.capacityMultiplier`;
  if (key !== undefined) {
    if (multiplier === undefined) found.push(required(at, 'capacityMultiplier is required when capacityKey is set'));
    else if (compareQuantities(multiplier, '0') <= 0) found.push(invalid(at, String(multiplier), 'must be positive'));
  }
  if (deviceMultiplier !== undefined && compareQuantities(deviceMultiplier, '0') <= 0)
    found.push(invalid(`${path}.deviceMultiplier`, String(deviceMultiplier), 'must be positive'));
  if (multiplier !== undefined && key === undefined)
    found.push(required(`${path}.capacityKey`, 'capacityKey is required when capacityMultiplier is set'));
  return found;
}

function overheadCauses(overhead: NodeAllocatableOverhead, path: string): FieldCause[] {
  const names = ['perPod', 'perContainer'] as const;
  if (names.every((name) => overhead[name] === undefined))
    return [invalid(path, '', 'at least one of perPod or perContainer must be set')];
  return names.flatMap((name) => {
    const value = overhead[name];
    const isWrong = value !== undefined && compareQuantities(value, '0') < 0;
    return isWrong ? [invalid(`${path}.${name}`, String(value), 'must be non-negative')] : [];
  });
}
