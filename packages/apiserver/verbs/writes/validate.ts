import {
  notSaidYet,
  StatusError,
  subdomainName,
  validateMetadata,
  validateMetadataUpdate,
  validateShape,
  type FieldCause,
  type KindDefinition,
} from '@kubernode/api';
import type { ResourceCall } from '../../context.ts';
import type { ServedResource } from '../../registry.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { deviceAdminCauses } from '../device-admin.ts';
import { groupOfKind } from '../strategies.ts';

/** Throws Invalid with all that is wrong with a new object. */
export function validateNew(call: ResourceCall, object: ApiObject): void {
  const { resource } = call;
  const { definition, namespaced } = resource;
  const group = groupOfRules(resource, '');
  const declared = validateShape(object, resource.shape, undefined, call.server.isEnabled);
  const own = [
    ...deviceAdminCauses(call, object),
    ...(definition.validate?.(object) ?? []),
    ...(definition.validateCreate?.(object) ?? []),
  ];
  refuse(resource, object, [
    ...validateMetadata(object.metadata, { namespaced, group, validateName: nameRule(definition, object) }),
    ...declared,
    ...notSaidYet(own, declared),
  ]);
}

/** What the object may be called; for some kinds that depends on what it says. */
function nameRule({ validateName = subdomainName }: KindDefinition, object: ApiObject) {
  return (name: string, isPrefix: boolean) => validateName(name, isPrefix, object);
}

/** Finalizers of custom resources need no domain. */
function groupOfRules({ custom, group, definition: { plainFinalizers: plain } }: ServedResource, subresource: string) {
  const isPlain = custom || plain === 'always' || (plain === 'in-status' && subresource === 'status');
  return isPlain ? undefined : group;
}

/** What upstream finds wrong more than once: of what clients define, metadata is judged by the server and by the kind. */
export function repeated({ custom, group }: ServedResource, causes: readonly FieldCause[]): readonly FieldCause[] {
  if (causes.length === 0) return causes;
  if (group === 'apiregistration.k8s.io') return causes.map((cause) => ({ ...cause, repeats: registered(cause) }));
  if (!custom && group !== 'apiextensions.k8s.io') return causes;
  const thrice = /^metadata\.(labels|annotations|ownerReferences|managedFields)/;
  return causes.map((cause) => ({
    ...cause,
    repeats: thrice.test(cause.field) ? 3 : /finalizers/.test(cause.field) ? 1 : 2,
  }));
}

/** API services are judged as if they were new, too. */
const registered = ({ field }: FieldCause) =>
  /^metadata\.(labels|annotations|ownerReferences|managedFields)/.test(field) ? 4 : 2;

/** Throws Invalid with all that is wrong with a changed object, and with the change. */
export function validateChange(call: ResourceCall, object: ApiObject, old: ApiObject, subresource: string): void {
  const { resource, warnings } = call;
  const { custom } = resource;
  const group = groupOfRules(resource, subresource);
  const { definition } = resource;
  const prefixRule = definition.rechecksName && subresource === '' ? nameRule(definition, object) : undefined;
  const declared = validateShape(object, resource.shape, old, call.server.isEnabled);
  const causes = [
    ...repeated(resource, validateMetadataUpdate(object.metadata, old.metadata, { group, prefixRule })),
    ...declared,
    ...(subresource === 'status' ? deviceAdminCauses(call, object, old) : []),
    ...notSaidYet(ownCauses(resource, object, old, subresource), declared),
  ];
  if (custom) warnings.push(...custom.ratcheted(object).filter((text) => !warnings.includes(text)));
  refuse(resource, object, causes);
}

function ownCauses({ definition }: ServedResource, object: ApiObject, old: ApiObject, subresource: string) {
  const own = definition.subresources?.[subresource];
  if (own) return own.validate(object, old);
  if (subresource === 'status') return definition.validateStatusUpdate?.(object, old) ?? [];
  const causes = definition.validate?.(object) ?? [];
  return subresource === '' ? [...causes, ...(definition.validateUpdate?.(object, old) ?? [])] : causes;
}

export function warnOf(call: ResourceCall, object: ApiObject, old: ApiObject | undefined, subresource = ''): void {
  const { definition } = call.resource;
  const found =
    subresource === 'status' && old ? definition.statusWarnings?.(object, old) : definition.warnings?.(object, old);
  if (found) call.warnings.push(...found);
}

function refuse(resource: ServedResource, object: ApiObject, causes: readonly FieldCause[]): void {
  if (causes.length === 0) return;
  throw StatusError.invalid({ group: groupOfKind(resource), kind: resource.kind }, object.metadata.name ?? '', causes);
}
