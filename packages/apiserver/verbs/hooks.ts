import type { KubernetesObject } from '@kubernode/api';
import type { ResourceCall } from '../context.ts';
import type { HookedWrite, WriteHook } from '../seams.ts';

/** Tells a hook how the write that it prepared ended. */
export type Settle = (written: boolean) => Promise<void>;

/** Asks whether the object can have what it needs, before it is judged itself. Throws StatusError. */
export function beforeValidation(call: ResourceCall, write: HookedWrite): void {
  call.server.writeHooks.get(`${call.resource.group}/${call.resource.plural}`)?.beforeValidation?.(write);
}

/** Takes what the object needs beside itself; undefined where the resource has no hook. Call the answer, always. */
export function beforeWrite(call: ResourceCall, write: HookedWrite): Promise<Settle> | undefined {
  const hook = call.server.writeHooks.get(`${call.resource.group}/${call.resource.plural}`);
  return hook && prepared(hook, write);
}

async function prepared(hook: WriteHook, write: HookedWrite): Promise<Settle> {
  const undo = await hook.beforeWrite?.(write);
  return async (written) => {
    if (written) await hook.afterWrite?.(write);
    else await undo?.();
  };
}

/** The object is gone for good. */
export async function afterDelete(call: ResourceCall, object: KubernetesObject): Promise<void> {
  const hook = call.server.writeHooks.get(`${call.resource.group}/${call.resource.plural}`);
  await hook?.afterDelete?.(object);
}
