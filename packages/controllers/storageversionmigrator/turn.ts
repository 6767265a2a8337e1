import type { StorageVersionMigration } from '@kubernode/api/storagemigration/v1';
import { isOver, isTrue } from './conditions.ts';

/**
 * Whether a migration that does not run yet is the next of its resource: one at a time, the oldest first, by name where
 * they are of the same second.
 */
export function isNext(migration: StorageVersionMigration, all: readonly StorageVersionMigration[]): boolean {
  const others = all.filter((other) => isOfSame(migration, other) && other.metadata.name !== migration.metadata.name);
  const waits = others.filter((other) => !isOver(other));
  if (waits.some((other) => isTrue(other, 'Running'))) return false;
  return waits.every((other) => compare(migration, other) < 0);
}

export function isOfSame({ spec: a }: StorageVersionMigration, { spec: b }: StorageVersionMigration): boolean {
  return a.resource.resource === b.resource.resource && (a.resource.group ?? '') === (b.resource.group ?? '');
}

function compare({ metadata: a }: StorageVersionMigration, { metadata: b }: StorageVersionMigration): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
