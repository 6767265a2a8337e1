import type { Kind, KubernetesObject } from '@kubernode/api';
import { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { StorageVersionMigration } from '@kubernode/api/storagemigration/v1';
import { controller, mapped, status, type ReconcileContext, type ReconcileResult } from '@kubernode/client';
import { parseTime } from '@kubernode/machinery';
import { discover } from '../shared/discovery.ts';
import { completed, failed, isOver, isTrue, running, succeeded, withConditions } from './conditions.ts';
import { rewriteAll } from './rewrite.ts';
import { finishMigrating, markMigrating } from './stored-versions.ts';
import { isNext, isOfSame } from './turn.ts';

/** A resource that nobody serves yet may still come. */
const patienceMs = 60_000;
const lookAgainMs = 5_000;
/** In no namespace of this name is anything: a list of it costs nothing, and says how far the world is. */
const nowhere = '@fake:svm_ns!';
const verbsNeeded = ['update', 'patch', 'list'];

/**
 * Rewrites the objects of a resource when a StorageVersionMigration asks for it, so that all are stored in the version,
 * and encrypted by the key, that the server uses now (KEP-4192). One migration of a resource at a time.
 */
export const storageVersionMigrator = controller<StorageVersionMigration>({
  name: 'storage-version-migrator-controller',
  reconciles: StorageVersionMigration,
  watches: [mapped(StorageVersionMigration, waitingForIt)],
  writes: [status(StorageVersionMigration), status(CustomResourceDefinition)],
  concurrency: 5,
  async reconcile(migration, context) {
    if (isOver(migration)) return finish(migration, context);
    if (!isTrue(migration, 'Running')) return begin(migration, context);
    return migrate(migration, context);
  },
});

/** Whoever waits for a migration of the same resource looks again when it ends. */
function waitingForIt(
  migration: StorageVersionMigration,
  { informer }: Pick<ReconcileContext, 'informer'>,
): readonly string[] {
  if (!isOver(migration) && !migration.metadata.deletionTimestamp) return [];
  const waiting = informer(StorageVersionMigration).list();
  return waiting.filter((other) => isOfSame(migration, other) && !isOver(other)).map(({ metadata }) => metadata.name);
}

async function begin(migration: StorageVersionMigration, context: ReconcileContext): Promise<ReconcileResult> {
  const { client, informer, now } = context;
  if (!isNext(migration, informer(StorageVersionMigration).list())) return;
  await markMigrating(client, migration, now());
  await client.updateStatus(StorageVersionMigration, withConditions(migration, [running()], now()));
}

async function finish(migration: StorageVersionMigration, context: ReconcileContext): Promise<ReconcileResult> {
  if (!isTrue(migration, 'Running')) return;
  const { client, now } = context;
  await finishMigrating(client, migration, isTrue(migration, 'Succeeded'), now());
  await client.updateStatus(StorageVersionMigration, withConditions(migration, [completed], now()));
}

async function migrate(migration: StorageVersionMigration, context: ReconcileContext): Promise<ReconcileResult> {
  const { client, now } = context;
  const end = async (...conditions: Parameters<typeof withConditions>[1]) => {
    await client.updateStatus(StorageVersionMigration, withConditions(migration, conditions, now()));
  };
  const { resource, group } = migration.spec.resource;
  const { resources } = await discover(client);
  const found = resources.find(({ kind }) => kind.group === group && kind.plural === resource);
  if (!found) {
    const isYoung = now() - (parseTime(migration.metadata.creationTimestamp) ?? 0) < patienceMs;
    return isYoung ? { requeueAfterMs: lookAgainMs } : end(failed('resource does not exist in discovery'));
  }
  const { kind, verbs } = found;
  if (!verbsNeeded.every((verb) => verbs.includes(verb))) {
    const shown = JSON.stringify(`${kind.apiVersion}, Resource=${kind.plural}`);
    return end(failed(`resource ${shown} does not support discovery operations: [${verbsNeeded.join(' ')}]`));
  }
  const until = migration.status.resourceVersion;
  if (!until) {
    const resourceVersion = await latestVersion(kind, context);
    await client.updateStatus(StorageVersionMigration, {
      ...migration,
      status: { ...migration.status, resourceVersion },
    });
    return undefined;
  }
  const { error, isPassing, ...progress } = await rewriteAll(client, kind, until);
  if (!error) return end(running(progress), succeeded);
  if (isPassing) {
    await end(running(progress, error.message));
    throw error;
  }
  const counts = `${progress.left}/${progress.total} not yet migrated`;
  return end(running(progress), failed(`${counts}. migration encountered unhandled error: ${error.message}`));
}

async function latestVersion(kind: Kind<KubernetesObject>, { client }: ReconcileContext): Promise<string> {
  const { metadata } = await client.list(kind, kind.namespaced ? { namespace: nowhere, limit: 1 } : { limit: 1 });
  return metadata.resourceVersion ?? '';
}
