import { canonicalIp, parseCidr } from '@kubernode/machinery';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  NetworkDeviceData,
  ResourceClaim,
} from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, required, tooMany } from '../cause.ts';
import { conditions } from '../conditions.ts';
import { nodeSelector } from '../pod/scheduling.ts';
import { bindingConditions, skippedOperations } from './binding.ts';
import { toleration, upTo } from './claim.ts';
import { configuration, rawObject } from './configuration.ts';
import { driverName, poolName, shortName } from './names.ts';
import { RequestNames } from './request-names.ts';

const resultsMax = 32;
const configsMax = 64;
const consumersMax = 256;
const conditionsMax = 8;
const dataBytesMax = 10 * 1024;
const addressesMax = 16;

/** A claim's status: what was allocated, for whom, and how the devices are (validateResourceClaimStatusUpdate). */
export function claimStatus(claim: ResourceClaim, old: ResourceClaim): readonly FieldCause[] {
  const { reservedFor = [], allocation, devices = [] } = claim.status;
  const found: FieldCause[] = [];
  upTo(consumersMax, reservedFor).forEach((consumer, index) => {
    for (const name of ['resource', 'name', 'uid'] as const)
      if (!consumer[name]) found.push(required(`status.reservedFor[${index}].${name}`));
  });
  const allocated = new Set(allocation?.devices.results?.map(identity));
  devices.forEach((device, index) => found.push(...deviceStatus(device, `status.devices[${index}]`, allocated)));
  if (reservedFor.length > 0) found.push(...consumers(claim, old));
  if (allocation && !old.status.allocation)
    found.push(...allocationCauses(allocation, 'status.allocation', new RequestNames(claim.spec.devices.requests)));
  return found;
}

const identity = ({
  driver,
  pool,
  device,
  shareID,
}: AllocatedDeviceStatus | { driver: string; pool: string; device: string; shareID?: string | undefined }) =>
  JSON.stringify([driver, pool, device, shareID ?? '']);

function consumers({ metadata, status }: ResourceClaim, old: ResourceClaim): FieldCause[] {
  const path = 'status.reservedFor';
  if (!status.allocation) return [forbidden(path, 'may not be specified when `allocated` is not set')];
  if (!metadata.deletionTimestamp) return [];
  const before = new Set(old.status.reservedFor?.map((consumer) => JSON.stringify(consumer)));
  if ((status.reservedFor ?? []).every((consumer) => before.has(JSON.stringify(consumer)))) return [];
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbidden(path, detail)];
}

function allocationCauses(allocation: AllocationResult, path: string, names: RequestNames): readonly FieldCause[] {
  const found: FieldCause[] = [];
  upTo(resultsMax, allocation.devices.results).forEach((result, index) => {
    const at = `${path}.devices.results[${index}]`;
    found.push(...names.reference(result.request, `${at}.request`), ...shortName(result.device, `${at}.device`));
    found.push(...bindingConditions(result, at));
    (result.tolerations ?? []).forEach((one, of) => found.push(...toleration(one, `${at}.tolerations[${of}]`)));
    found.push(...skippedOperations(result.skipNodeOperations, `${at}.skipNodeOperations`));
  });
  upTo(configsMax, allocation.devices.config).forEach((config, index) => {
    const at = `${path}.devices.config[${index}]`;
    found.push(...names.references(upTo(resultsMax, config.requests), `${at}.requests`));
    found.push(...configuration(config, at, false));
  });
  if (allocation.nodeSelector) found.push(...nodeSelector(allocation.nodeSelector, `${path}.nodeSelector`));
  return found;
}

function deviceStatus(device: AllocatedDeviceStatus, path: string, allocated: ReadonlySet<string>): FieldCause[] {
  const found = [
    ...driverName(device.driver, `${path}.driver`),
    ...poolName(device.pool, `${path}.pool`),
    ...shortName(device.device, `${path}.device`),
  ];
  if (!allocated.has(identity(device))) found.push(invalid(path, device, 'must be an allocated device in the claim'));
  const list = device.conditions ?? [];
  if (list.length > conditionsMax) found.push(tooMany(`${path}.conditions`, list.length, conditionsMax));
  found.push(...conditions(list, `${path}.conditions`));
  if (device.data !== undefined) found.push(...rawObject(device.data, `${path}.data`, { bytesMax: dataBytesMax }));
  return [...found, ...addresses(device.networkData, `${path}.networkData.ips`)];
}

/** Addresses of interfaces, in canonical form with their network's size. */
function addresses(data: NetworkDeviceData | undefined, path: string): FieldCause[] {
  return upTo(addressesMax, data?.ips).flatMap((text, index) => {
    const at = `${path}[${index}]`;
    const network = parseCidr(text);
    if (!network)
      return [invalid(at, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
    const canonical = canonicalAddress(text);
    return text === canonical ? [] : [invalid(at, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
  });
}

function canonicalAddress(text: string): string {
  const [address = '', length = ''] = text.split('/');
  const canonical = canonicalIp(address) ?? address;
  // An IPv4 address that is written as IPv6 has the longer prefix.
  const surplus = address.includes(':') && !canonical.includes(':') ? 96 : 0;
  return `${canonical}/${Number(length) - surplus}`;
}
