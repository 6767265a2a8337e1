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
  return hook && prepared(call, hook, write);
}

async function prepared(call: ResourceCall, hook: WriteHook, write: HookedWrite): Promise<Settle> {
  const undo = await hook.beforeWrite?.(write);
  return (written) => givenBack(call, () => (written ? hook.afterWrite?.(write) : undo?.()));
}

/** The object is gone for good. */
export async function afterDelete(call: ResourceCall, object: KubernetesObject): Promise<void> {
  const hook = call.server.writeHooks.get(`${call.resource.group}/${call.resource.plural}`);
  await givenBack(call, () => hook?.afterDelete?.(object));
}

/** Who asks is told what became of the object, whatever becomes of what it had: repairs find what is left of that. */
async function givenBack(call: ResourceCall, giveBack: () => void | Promise<void>): Promise<void> {
  try {
    await giveBack();
  } catch (error) {
    const { group, plural } = call.resource;
    call.server.log.warn('what an object had is not given back', { group, plural, error: String(error) });
  }
}
