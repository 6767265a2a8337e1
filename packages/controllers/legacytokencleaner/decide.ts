import type { Pod, Secret, ServiceAccount } from '@kubernode/api/core/v1';
import { parseTime } from '@kubernode/machinery';

/** How long a token may lie unused before it is marked, and then before it is deleted: a year, as upstream's default. */
const unusedMsMax = 365 * 24 * 3600 * 1000;

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
export const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const datePattern = /^\d{4}-\d\d-\d\d$/;

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export interface Facts {
  readonly nowMs: number;
  /** From when on uses are noted: `YYYY-MM-DD`, undefined where it is not known. */
  readonly trackedSince: string | undefined;
  readonly account: ServiceAccount | undefined;
  /** All pods of the namespace. */
  readonly pods: readonly Pod[];
}

/**
 * What becomes of a token that a controller once made for everybody (KEP-2799): marked as invalid after a year without use,
 * deleted after another. Tokens that somebody made, or that a pod mounts, stay.
 */
export function decide(secret: Secret, { nowMs, trackedSince, account, pods }: Facts): 'keep' | 'mark' | 'delete' {
  const { metadata } = secret;
  const sinceMs = trackedSince && datePattern.test(trackedSince) ? Date.parse(trackedSince) : Number.NaN;
  const oneDayMs = 24 * 3600 * 1000;
  // Uses on the day on which tracking began may not have been noted.
  if (!(nowMs >= sinceMs + oneDayMs + unusedMsMax)) return 'keep';
  const oldestMs = nowMs - unusedMsMax;
  const oldest = dateOf(oldestMs);
  if (metadata.deletionTimestamp || (parseTime(metadata.creationTimestamp) ?? Infinity) >= oldestMs) return 'keep';
  const lastUsed = metadata.labels?.[lastUsedLabel];
  if (lastUsed !== undefined && (!datePattern.test(lastUsed) || lastUsed >= oldest)) return 'keep';
  if (!account?.secrets?.some(({ name }) => name === metadata.name)) return 'keep';
  const uid = metadata.annotations?.['kubernetes.io/service-account.uid'];
  if (uid && uid !== account.metadata.uid) return 'keep';
  if (pods.some((pod) => namesSecret(pod.spec, metadata.name))) return 'keep';
  const invalidSince = metadata.labels?.[invalidSinceLabel] ?? '';
  if (!datePattern.test(invalidSince)) return 'mark';
  return invalidSince >= oldest ? 'keep' : 'delete';
}

const references: ReadonlySet<string> = new Set(['secretRef', 'secretKeyRef', 'nodePublishSecretRef', 'secret']);

/** Whether a pod's spec refers to the Secret: in volumes, environments, or to pull images. */
function namesSecret(value: unknown, name: string, field = ''): boolean {
  if (typeof value !== 'object' || value === null) return field === 'secretName' && value === name;
  if (Array.isArray(value)) {
    const isPull = field === 'imagePullSecrets';
    return value.some((item) => (isPull && (item as { name?: string }).name === name) || namesSecret(item, name));
  }
  if (references.has(field) && (value as { name?: string }).name === name) return true;
  return Object.entries(value).some(([key, item]) => namesSecret(item, name, key));
}
