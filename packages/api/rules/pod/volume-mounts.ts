import type { Container, VolumeMount } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notFound, notSupported, required } from '../cause.ts';
import { foundIn, type Rule } from '../rule.ts';
import type { PodContext } from './context.ts';
import { localDescendingPath } from './paths.ts';

const backsteps = (path: string) => path.split('/').includes('..');

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursions = ['Disabled', 'Enabled', 'IfPossible'];

/** Mounts name a volume that is there, each at a path of its own. Sub-paths' causes are without an index, as upstream's. */
export function volumeMounts(
  { volumeMounts: mounts = [], volumeDevices: devices = [] }: Container,
  path: string,
  context: PodContext,
): readonly FieldCause[] {
  const taken = new Set<string>();
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath }) => devicePath));
  return foundIn(mounts, (mount, index) => {
    const at = `${path}[${index}]`;
    const { name, mountPath } = mount;
    const found: FieldCause[] = [];
    if (!name) found.push(required(`${at}.name`));
    if (!context.volumes.has(name)) found.push(notFound(`${at}.name`, name));
    if (!mountPath) found.push(required(`${at}.mountPath`));
    if (taken.has(mountPath)) found.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    taken.add(mountPath);
    if (deviceNames.has(name)) found.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      found.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    return [...found, ...subPaths(mount, path, at), ...options(mount, path)];
  });
}

function subPaths({ subPath, subPathExpr }: VolumeMount, path: string, at: string): FieldCause[] {
  const found: FieldCause[] = [];
  if (subPath) found.push(...localDescendingPath(subPath, `${path}.subPath`));
  if (!subPathExpr) return found;
  if (subPath) found.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  return [...found, ...localDescendingPath(subPathExpr, `${path}.subPathExpr`)];
}

function options({ mountPropagation, readOnly, recursiveReadOnly }: VolumeMount, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  if (mountPropagation !== undefined && !propagations.includes(mountPropagation)) {
    found.push(notSupported(`${path}.mountPropagation`, mountPropagation, propagations));
  }
  if (recursiveReadOnly === undefined) return found;
  const at = `${path}.recursiveReadOnly`;
  if (!recursions.includes(recursiveReadOnly)) return [...found, notSupported(at, recursiveReadOnly, recursions)];
  if (recursiveReadOnly !== 'Disabled' && !readOnly) {
    found.push(forbidden(at, 'may only be specified when readOnly is true'));
  } else if (recursiveReadOnly !== 'Disabled' && mountPropagation && mountPropagation !== 'None') {
    const detail = 'may only be specified when mountPropagation is None or not specified';
    found.push(forbidden(at, detail));
  }
  return found;
}

/** Two-way propagation reaches the host, so it takes a privileged container. */
export const bidirectionalNeedsPrivileged: Rule<Container> = ({ volumeMounts: mounts = [], securityContext }, path) =>
  mounts
    .filter(({ mountPropagation }) => mountPropagation === 'Bidirectional' && !securityContext?.privileged)
    .map(() =>
      forbidden(
        `${path}.volumeMounts.mountPropagation`,
        'Bidirectional mount propagation is available only to privileged containers',
      ),
    );

/** Devices name a claim that is there, each at a path of its own. */
export function volumeDevices(
  { volumeMounts: mounts = [], volumeDevices: devices = [] }: Container,
  path: string,
  context: PodContext,
): readonly FieldCause[] {
  const paths = new Set<string>();
  const names = new Set<string>();
  const mountNames = new Set(mounts.map(({ name }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath }) => mountPath));
  return foundIn(devices, ({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const found: FieldCause[] = [];
    const volume = context.volumes.get(name);
    if (!name) found.push(required(`${at}.name`));
    else if (names.has(name)) found.push(invalid(`${at}.name`, name, 'must be unique'));
    names.add(name);
    if (!volume) found.push(notFound(`${at}.name`, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      found.push(invalid(`${at}.name`, name, detail));
    }
    if (!devicePath) found.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) found.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    if (devicePath && backsteps(devicePath)) {
      found.push(invalid(`${at}.devicePath`, devicePath, 'can not contain backsteps'));
    } else paths.add(devicePath);
    if (mountPaths.has(devicePath))
      found.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    if (mountNames.has(name)) found.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    return found;
  });
}
