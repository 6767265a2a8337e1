import { StatusError, type FieldCause } from '@kubernode/api';
import type { ResourceCall } from '../context.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../seams.ts';
import type { ApiObject } from '../storage/encoding.ts';

type Operation = AdmissionRequest['operation'];

export interface Admitted {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  /** Where the path has none: a generated name. */
  readonly name?: string | undefined;
}

/** Runs the mutating hooks, in order, on `object` in place. Throws what a plugin refuses with. */
export async function admitMutating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const { admission } = call.server.security;
  if (admission.length === 0) return;
  const request = requestOf(call, admitted);
  for (const { mutate } of admission) {
    const pending = mutate?.(request);
    if (pending instanceof Promise) await pending;
  }
}

/** Runs the validating hooks, in order; causes that plugins answer become one Invalid. */
export async function admitValidating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const { admission } = call.server.security;
  if (admission.length === 0) return;
  const request = requestOf(call, admitted);
  for (const plugin of admission) {
    const causes = await causesOf(plugin, request);
    if (causes.length === 0) continue;
    throw StatusError.invalid(call.resource, admitted.object?.metadata.name ?? call.route.attributes.name, causes);
  }
}

async function causesOf(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<readonly FieldCause[]> {
  const pending = plugin.validate?.(request);
  return (pending instanceof Promise ? await pending : pending) ?? [];
}

function requestOf(call: ResourceCall, { operation, object, oldObject, dryRun, name }: Admitted): AdmissionRequest {
  const attributes = name && !call.route.attributes.name ? { ...call.route.attributes, name } : call.route.attributes;
  return {
    attributes,
    operation,
    user: call.user,
    definition: call.resource.definition,
    object,
    oldObject,
    dryRun,
    warn: (text) => {
      call.warnings.push(text);
    },
  };
}
