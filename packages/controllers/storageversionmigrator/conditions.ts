import type { StorageVersionMigration } from '@kubernode/api/storagemigration/v1';
import { withStatusCondition } from '@kubernode/machinery';

export type ConditionType = 'Running' | 'Succeeded' | 'Failed';

export interface ConditionWanted {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** How far a migration is. `left`: objects that are not rewritten yet. */
export interface Progress {
  readonly left: number;
  readonly total: number;
}

export const isTrue = ({ status }: StorageVersionMigration, type: ConditionType): boolean =>
  status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

export const isOver = (migration: StorageVersionMigration): boolean =>
  isTrue(migration, 'Succeeded') || isTrue(migration, 'Failed');

export const running = (progress?: Progress, error?: string): ConditionWanted => ({
  type: 'Running',
  status: 'True',
  reason: 'MigrationRunning',
  message: `The migration is running${progressText(progress)}${error ? `; transient error: ${error}` : ''}`,
});

function progressText(progress: Progress | undefined): string {
  if (!progress || progress.total === 0) return '';
  const { left, total } = progress;
  return left > 0 ? `, ${left}/${total} objects not yet migrated` : `, ${total} objects verified migrated`;
}

/** The running one is no longer so, once the migration has ended, either way. */
export const completed: ConditionWanted = {
  type: 'Running',
  status: 'False',
  reason: 'MigrationCompleted',
  message: 'Migration completed',
};

export const succeeded: ConditionWanted = {
  type: 'Succeeded',
  status: 'True',
  reason: 'StorageVersionMigrationSucceeded',
  message: 'Migration completed',
};

export const failed = (message: string): ConditionWanted => ({
  type: 'Failed',
  status: 'True',
  reason: 'StorageVersionMigrationFailed',
  message,
});

/** A migration with conditions set; the time of a condition is that of its last change of status. */
export function withConditions(
  migration: StorageVersionMigration,
  wanted: readonly ConditionWanted[],
  nowMs: number,
): StorageVersionMigration {
  let { conditions = [] } = migration.status;
  for (const condition of wanted) conditions = withStatusCondition(conditions, condition, nowMs);
  return { ...migration, status: { ...migration.status, conditions } };
}
