import type { FieldCause } from '@kubernode/api';
import type { ResourceCall } from '../context.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { objectKey } from '../storage/keys.ts';

const label = 'resource.kubernetes.io/admin-access';
const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;

interface Access {
  readonly adminAccess?: boolean | undefined;
  readonly exactly?: { readonly adminAccess?: boolean | undefined } | undefined;
}

interface DeviceObject {
  readonly spec: { readonly devices?: Devices; readonly spec?: { readonly devices?: Devices } };
  readonly status?: { readonly allocation?: { readonly devices?: { readonly results?: readonly Access[] } } };
}

interface Devices {
  readonly requests?: readonly Access[];
}

/**
 * Whoever sees devices that others use needs a namespace that allows it (KEP-5018): what of a claim, a template or, for
 * a change of status, an allocation asks for that without.
 */
export function deviceAdminCauses(call: ResourceCall, object: ApiObject, old?: ApiObject): readonly FieldCause[] {
  const { group, kind } = call.resource;
  if (group !== 'resource.k8s.io' || (kind !== 'ResourceClaim' && kind !== 'ResourceClaimTemplate')) return [];
  const field = old ? grantedIn(object, old) : requestedIn(object);
  if (field === undefined || isAllowed(call, object.metadata.namespace ?? '')) return [];
  return [{ reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` }];
}

/** A template's path is a claim's, as upstream has it. */
function requestedIn(object: ApiObject): string | undefined {
  const { spec } = object as unknown as DeviceObject;
  const requests = (spec.spec ?? spec).devices?.requests ?? [];
  const index = requests.findIndex(({ adminAccess, exactly }) => adminAccess ?? exactly?.adminAccess);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

function grantedIn(object: ApiObject, old: ApiObject): string | undefined {
  const results = (of: ApiObject) => (of as unknown as DeviceObject).status?.allocation?.devices?.results ?? [];
  if (results(old).some(({ adminAccess }) => adminAccess)) return undefined;
  const index = results(object).findIndex(({ adminAccess }) => adminAccess);
  return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`;
}

function isAllowed({ server }: ResourceCall, namespace: string): boolean {
  const resource = server.registry.find('', 'v1', 'namespaces');
  const stored = resource?.cache.objects.get(objectKey(resource.cache.prefix, '', namespace));
  return stored?.object.metadata.labels?.[label] === 'true';
}
