import { deepEqual, qualifiedName } from '@kubernode/machinery';
import {
  CSINode,
  type CSINodeDriver,
  type StorageHealth,
  type StorageHealthCondition,
} from '../../generated/types/storage/v1.ts';
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from '../../rules/cause.ts';
import { reasonCauses } from '../../rules/conditions.ts';
import { driverName } from '../../rules/devices/names.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';
import { firstIndexes } from '../../rules/repeated.ts';

const nodeIdBytesMax = 256;
const conditionsMax = 16;
const reasonBytesMax = 256;
const messageBytesMax = 1024;
const healthStatuses = ['Degraded', 'Unreachable'];
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Filesystem', 'Block'];

/** Keys are named by the driver's own path, as upstream does. */
function driverCauses(driver: CSINodeDriver, path: string): FieldCause[] {
  const { name, nodeID, allocatable, topologyKeys } = driver;
  const found = [...driverName(name, `${path}.name`)];
  if (!nodeID) found.push(required(`${path}.nodeID`));
  if (Buffer.byteLength(nodeID) > nodeIdBytesMax)
    found.push(invalid(`${path}.nodeID`, nodeID, `must be ${nodeIdBytesMax} characters or less`));
  const count = allocatable?.count ?? 0;
  if (count < 0) found.push(invalid(`${path}.allocatable.count`, count, 'must be greater than or equal to 0'));
  const first = firstIndexes(topologyKeys);
  topologyKeys.forEach((key, index) => {
    if (!key) found.push(required(path));
    if (first.get(key)! < index) found.push(duplicate(path, key));
    found.push(...qualifiedName(key).map((detail) => invalid(path, key, detail)));
  });
  return found;
}

function driversCauses(drivers: readonly CSINodeDriver[] = []): readonly FieldCause[] {
  const seen = new Set<string>();
  return drivers.flatMap((driver, index) => {
    const path = `spec.drivers[${index}]`;
    const found = driverCauses(driver, path);
    if (seen.has(driver.name)) found.push(duplicate(`${path}.name`, driver.name));
    seen.add(driver.name);
    return found;
  });
}

/** A driver that stays is not changed, but for how many volumes it takes. */
function changedDrivers({ spec }: CSINode, { spec: { drivers: old } }: CSINode): readonly FieldCause[] {
  return (old ?? []).flatMap((before) =>
    (spec.drivers ?? [])
      .filter(({ name }) => name === before.name)
      .filter(({ allocatable: _, ...now }) => {
        const { allocatable: _before, ...then } = before;
        return !deepEqual(now, then);
      })
      .map((now) => invalid('spec.drivers', now, 'field is immutable')),
  );
}

function healthCauses(health: StorageHealth, path: string): FieldCause[] {
  const { name, healthConditions = [] } = health;
  const found = [...driverName(name, `${path}.name`)];
  const at = `${path}.healthConditions`;
  if (healthConditions.length > conditionsMax) return [...found, tooMany(at, healthConditions.length, conditionsMax)];
  return [...found, ...healthConditions.flatMap((one, index) => conditionCauses(one, `${at}[${index}]`))];
}

function conditionCauses(condition: StorageHealthCondition, path: string): FieldCause[] {
  const { status, reason, message = '', accessMode, volumeMode } = condition;
  const found: FieldCause[] = [];
  if (!healthStatuses.includes(status)) found.push(notSupported(`${path}.status`, status, healthStatuses));
  found.push(...reasonCauses(reason, `${path}.reason`));
  if (Buffer.byteLength(reason) > reasonBytesMax) found.push(tooLong(`${path}.reason`, reasonBytesMax));
  if (Buffer.byteLength(message) > messageBytesMax) found.push(tooLong(`${path}.message`, messageBytesMax));
  if (accessMode !== undefined && !accessModes.includes(accessMode))
    found.push(notSupported(`${path}.accessMode`, accessMode, accessModes));
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode))
    found.push(notSupported(`${path}.volumeMode`, volumeMode, volumeModes));
  return found;
}

function statusCauses({ status }: CSINode): readonly FieldCause[] {
  const list = status?.storageHealth ?? [];
  const seen = new Set<string>();
  return list.flatMap((health, index) => {
    const path = `status.storageHealth[${index}]`;
    const found = seen.has(health.name) ? [duplicate(path, health.name)] : [];
    seen.add(health.name);
    return [...found, ...healthCauses(health, path)];
  });
}

export const csiNode = define(CSINode, {
  validate: ({ spec }) => driversCauses(spec.drivers),
  validateUpdate: changedDrivers,
  validateStatusUpdate: statusCauses,
  generation: 'none',
  unconditionalUpdate: false,
  rechecksName: true,
  row: (object) => [object.metadata.name, object.spec.drivers.length, age(object)],
});
