import { StatusError, type FieldCause } from '@kubernode/api';
import { areManagedFields } from '@kubernode/machinery';
import type { Reinvocation, ReviewedRequest } from '../../admission/matching/reviewed-request.ts';
import { reviewOf } from '../../admission/matching/review.ts';
import type { ResourceCall } from '../../context.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { dropSameOwners } from './owner-references.ts';

type Operation = AdmissionRequest['operation'];

export interface Admitted {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  /** Where the path has none: a generated name. */
  readonly name?: string | undefined;
  /** What a deletion was asked with. */
  readonly deleteOptions?: object | undefined;
}

/**
 * Runs the mutating hooks, in order, on `object` in place; once more where a webhook or policy changed what hooks before
 * it had seen. Throws what a plugin refuses with.
 */
export async function admitMutating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const admission = pluginsFor(call, admitted);
  if (admission.length === 0) return;
  const managedFields = admitted.object?.metadata?.managedFields;
  const memory = new Map<string, unknown>();
  let isWanted = false;
  const want = () => {
    isWanted = true;
  };
  await mutate(call, admission, requestOf(call, admitted, { isSecondRound: false, want, memory }));
  if (isWanted) await mutate(call, admission, requestOf(call, admitted, { isSecondRound: true, want, memory }));
  if (admitted.object?.metadata) repair(call, admitted.object, managedFields);
}

const invalidManagedFields =
  '.metadata.managedFields was in an invalid state after admission; ' +
  'this could be caused by an outdated mutating admission controller; please fix your requests: ';

/** Takes back what admission must not do to the metadata, with a warning. */
function repair(call: ResourceCall, object: ApiObject, before: ApiObject['metadata']['managedFields']): void {
  dropSameOwners(call, object, true);
  const { managedFields } = object.metadata;
  if (managedFields === before || !managedFields || areManagedFields(managedFields)) return;
  if (before) object.metadata.managedFields = before;
  else delete object.metadata.managedFields;
  call.warnings.push(`${invalidManagedFields}an entry cannot be read`);
}

async function mutate(
  { server }: ResourceCall,
  admission: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): Promise<void> {
  const timer = server.metrics.admission.timer('admit', request.operation);
  let name = '';
  try {
    for (const plugin of admission) {
      if (!plugin.mutate) continue;
      ({ name } = plugin);
      const pending = plugin.mutate(request);
      if (pending instanceof Promise) await pending;
      timer.plugin(name);
    }
    timer.end();
  } catch (error) {
    timer.plugin(name, true);
    timer.end(true);
    throw error;
  }
}

/** Runs the validating hooks, in order; causes that plugins answer become one Invalid. */
export async function admitValidating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const admission = pluginsFor(call, admitted);
  if (admission.length === 0) return;
  showVersion(admitted);
  const request = requestOf(call, admitted, noReinvocation);
  const timer = call.server.metrics.admission.timer('validate', request.operation);
  let name = '';
  try {
    for (const plugin of admission) {
      if (!plugin.validate) continue;
      ({ name } = plugin);
      const causes = await causesOf(plugin, request);
      if (causes.length > 0) {
        const named = admitted.object?.metadata.name ?? call.route.attributes.name;
        throw StatusError.invalid(call.resource, named, causes);
      }
      timer.plugin(name);
    }
    timer.end();
  } catch (error) {
    timer.plugin(name, true);
    timer.end(true);
    throw error;
  }
}

const none: readonly AdmissionPlugin[] = [];

/** Connections are only for those who look at them; the deletion of an evicted pod was admitted as its eviction. */
function pluginsFor({ server, route }: ResourceCall, { operation }: Admitted): readonly AdmissionPlugin[] {
  const { admission } = server.security;
  if (operation === 'CONNECT') return admission.filter(({ connects }) => connects);
  return operation === 'DELETE' && route.attributes.subresource === 'eviction' ? none : admission;
}

/** A change that names no version is of the present one. */
function showVersion({ operation, object, oldObject }: Admitted): void {
  if (operation !== 'UPDATE' || !object || !oldObject || object.kind !== oldObject.kind) return;
  const { resourceVersion } = oldObject.metadata;
  if (resourceVersion) object.metadata.resourceVersion ||= resourceVersion;
}

const noReinvocation: Reinvocation = { isSecondRound: false, want() {}, memory: new Map() };

async function causesOf(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<readonly FieldCause[]> {
  const pending = plugin.validate?.(request);
  return (pending instanceof Promise ? await pending : pending) ?? [];
}

function requestOf(call: ResourceCall, admitted: Admitted, reinvocation: Reinvocation): AdmissionRequest {
  const { operation, object, oldObject, dryRun, deleteOptions } = admitted;
  const { attributes } = call.route;
  const name = attributes.name || (admitted.name ?? '');
  let review: ReviewedRequest | undefined;
  return {
    attributes: name === attributes.name ? attributes : { ...attributes, name },
    operation,
    user: call.user,
    definition: call.resource.definition,
    object,
    oldObject,
    dryRun,
    warn: (text) => {
      call.warnings.push(text);
    },
    annotate: call.annotate,
    get review() {
      review ??= reviewOf(call, { operation, object, name, deleteOptions, reinvocation });
      return review;
    },
  };
}
