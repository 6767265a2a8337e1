import type { Transport } from '@kubernode/api';

/** Sets one condition in the status of an object by server-side apply, as the controller of that name. */
export async function applyCondition(
  transport: Transport,
  path: string,
  object: object,
  condition: object,
  fieldManager: string,
): Promise<void> {
  await transport.request({
    method: 'PATCH',
    query: { fieldManager, force: 'true' },
    path: `${path}/status`,
    contentType: 'application/apply-patch+yaml',
    body: { ...object, status: { conditions: [condition] } },
  });
}
