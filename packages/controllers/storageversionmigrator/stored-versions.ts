import { isReason } from '@kubernode/api';
import { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import type { StorageVersionMigration } from '@kubernode/api/storagemigration/v1';
import type { Client } from '@kubernode/client';
import { formatTime } from '@kubernode/machinery';

const fieldManager = 'migration-runner-controller';

interface Said {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly storedVersions?: readonly string[] | undefined;
}

/** Tells a definition that its objects are being rewritten; does nothing for resources that no definition makes. */
export async function markMigrating(client: Client, migration: StorageVersionMigration, nowMs: number): Promise<void> {
  const crd = await definitionOf(client, migration);
  const message = `Migration ${migration.metadata.name} is running`;
  if (crd) await say(client, crd, { status: 'True', reason: 'MigrationRunning', message }, nowMs);
}

/**
 * Tells a definition how the migration ended. Where it did well, and the definition is still the one that it began
 * with, nothing is stored in older versions any more, and the definition says so.
 */
export async function finishMigrating(
  client: Client,
  migration: StorageVersionMigration,
  isSuccess: boolean,
  nowMs: number,
): Promise<void> {
  const crd = await definitionOf(client, migration);
  if (!crd) return;
  const begun = crd.status.conditions?.find(({ type }) => type === 'StorageMigrating');
  const isSame = begun?.observedGeneration === crd.metadata.generation;
  const storage = crd.spec.versions.find((version) => version.storage)?.name;
  const storedVersions = isSame && storage ? [storage] : undefined;
  if (!isSuccess) {
    const message = 'The migration has failed';
    return say(client, crd, { status: 'False', reason: 'MigrationFailed', message, storedVersions }, nowMs);
  }
  const ending = isSame
    ? 'and the stored versions have been updated'
    : 'but the stored versions have not been updated due to a generation mismatch';
  const message = `The migration has succeeded ${ending}`;
  return say(client, crd, { status: 'False', reason: 'MigrationSucceeded', message, storedVersions }, nowMs);
}

async function definitionOf(
  client: Client,
  { spec }: StorageVersionMigration,
): Promise<CustomResourceDefinition | undefined> {
  const { resource, group } = spec.resource;
  try {
    return await client.get(CustomResourceDefinition, `${resource}.${group}`);
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function say(client: Client, crd: CustomResourceDefinition, said: Said, nowMs: number): Promise<void> {
  const { apiVersion, kind } = CustomResourceDefinition;
  const { name, resourceVersion, generation } = crd.metadata;
  const { storedVersions, ...rest } = said;
  const condition = {
    type: 'StorageMigrating',
    ...rest,
    lastTransitionTime: formatTime(nowMs),
    observedGeneration: generation,
  };
  const status = { conditions: [condition], ...(storedVersions && { storedVersions }) };
  const body = { apiVersion, kind, metadata: { name, resourceVersion }, status };
  const target = { name, subresource: 'status' };
  await client.patch(CustomResourceDefinition, target, { type: 'apply', body }, { fieldManager, force: true });
}
