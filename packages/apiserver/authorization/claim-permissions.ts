import type { FieldCause, User } from '@kubernode/api';
import type { AllocatedDeviceStatus, ResourceClaim, ResourceClaimStatus } from '@kubernode/api/resource/v1';
import { deepEqual, dns1123Subdomain } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer } from '../seams.ts';
import { forbidden } from './forbidden.ts';

/**
 * What of a ResourceClaim's status a user may change (KEP-4817, gate DRAResourceClaimGranularStatusAuthorization): its
 * allocation is the scheduler's (`resourceclaims/binding`), the status of devices that of their driver
 * (`resourceclaims/driver`, on its own node or on any).
 */
export function claimPermissions(authorize: Authorizer, judgesDevices: boolean): AdmissionPlugin {
  return {
    name: 'ResourceClaimStatusPermissions',
    resources: ['resourceclaims'],
    validate(request) {
      const { group, resource, subresource } = request.attributes;
      if (group !== 'resource.k8s.io' || resource !== 'resourceclaims' || subresource !== 'status') return none;
      return causesOf(request, authorize, judgesDevices);
    },
  };
}

const none: readonly FieldCause[] = [];

async function causesOf(
  request: AdmissionRequest,
  authorize: Authorizer,
  judgesDevices: boolean,
): Promise<readonly FieldCause[]> {
  const status = (request.object as ResourceClaim | undefined)?.status ?? {};
  const old = (request.oldObject as ResourceClaim | undefined)?.status ?? {};
  const causes = await bindingCauses(request, authorize, status, old);
  if (!judgesDevices || !status.allocation) return causes;
  return [...causes, ...(await deviceCauses(request, authorize, status, old))];
}

async function bindingCauses(
  { user, attributes }: AdmissionRequest,
  authorize: Authorizer,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
): Promise<FieldCause[]> {
  const isSame =
    deepEqual(status.allocation ?? null, old.allocation ?? null) &&
    deepEqual(status.reservedFor ?? [], old.reservedFor ?? []);
  if (isSame) return [];
  const asked = { ...attributes, subresource: 'binding', namespace: '', name: '' };
  const refusal = await refusalOf(user, asked, authorize);
  if (refusal === undefined) return [];
  const needs = `resource="resourceclaims/binding", verb="${attributes.verb}" permission`;
  return [cause('status.allocation', `changing status.allocation or status.reservedFor requires ${needs}: ${refusal}`)];
}

async function deviceCauses(
  { user, attributes }: AdmissionRequest,
  authorize: Authorizer,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
): Promise<FieldCause[]> {
  const { verb } = attributes;
  const anywhere = `arbitrary-node:${verb}`;
  const verbs = isOnNode(user, nodeOf(status)) ? [`associated-node:${verb}`, anywhere] : [anywhere];
  const causes: FieldCause[] = [];
  for (const name of changedDrivers(status.devices ?? [], old.devices ?? [])) {
    let first: string | undefined;
    let isAllowed = false;
    for (const wanted of verbs) {
      const refusal = await refusalOf(user, { ...attributes, verb: wanted, subresource: 'driver', name }, authorize);
      isAllowed = refusal === undefined;
      if (isAllowed) break;
      first ??= refusal;
    }
    const needs = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    if (!isAllowed) causes.push(cause('status.devices', `changing status.devices requires ${needs}: ${first}`));
  }
  return causes;
}

/** Why not; undefined where it is allowed. */
async function refusalOf(user: User, attributes: Attributes, authorize: Authorizer): Promise<string | undefined> {
  const decision = await authorize(user, attributes);
  if (decision.allowed) return undefined;
  const { error, reason } = decision;
  const why = error === undefined ? reason : reason ? `${error}: ${reason}` : error;
  return forbidden(user, attributes, why).message;
}

/** Of devices that came, went or are told of otherwise. */
function changedDrivers(devices: readonly AllocatedDeviceStatus[], old: readonly AllocatedDeviceStatus[]): string[] {
  const keyOf = ({ driver, pool, device, shareID = '' }: AllocatedDeviceStatus) =>
    JSON.stringify([driver, pool, device, shareID]);
  const before = new Map(old.map((device) => [keyOf(device), device]));
  const changed = new Set<string>();
  for (const device of devices) {
    const key = keyOf(device);
    if (!deepEqual(before.get(key), device)) changed.add(device.driver);
    before.delete(key);
  }
  for (const { driver } of before.values()) changed.add(driver);
  return [...changed].toSorted();
}

/** The one node that the devices are of; undefined where it is another kind of place. */
function nodeOf({ allocation }: ResourceClaimStatus): string | undefined {
  const [term, ...others] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  if (!term || others.length > 0 || term.matchExpressions?.length || term.matchFields?.length !== 1) return undefined;
  const { key, operator, values } = term.matchFields[0]!;
  return key === 'metadata.name' && operator === 'In' && values?.length === 1 ? values[0] : undefined;
}

function isOnNode({ name, extra }: User, node: string | undefined): boolean {
  if (!node || !/^system:serviceaccount:[^:]+:[^:]+$/.test(name)) return false;
  const names = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return names.length === 1 && names[0] === node && dns1123Subdomain(node).length === 0;
}

const cause = (field: string, why: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});
