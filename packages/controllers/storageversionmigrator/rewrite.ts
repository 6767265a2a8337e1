import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import type { Client } from '@kubernode/client';
import type { Progress } from './conditions.ts';

const fieldManager = 'storage-version-migrator-controller';
const pageSize = 500;

/** Worth another attempt: the server is busy, or was not there. */
const passing = ['ServerTimeout', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout'] as const;

export interface Rewritten extends Progress {
  /** What ended the rewriting before its time. */
  readonly error?: Error | undefined;
  readonly isPassing?: boolean | undefined;
}

/**
 * Writes all objects of a resource that are not newer than a version once more, unchanged, so that they are stored as
 * the server stores them now. Objects that others change or delete meanwhile are as good.
 */
export async function rewriteAll(client: Client, kind: Kind<KubernetesObject>, until: string): Promise<Rewritten> {
  const { total, candidates } = await objectsUntil(client, kind, Number(until));
  let left = candidates.length;
  for (const { name, namespace, resourceVersion } of candidates) {
    const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { resourceVersion } };
    try {
      await client.patch(kind, { name, namespace }, { type: 'merge', body }, { fieldManager });
    } catch (error) {
      if (!isReason(error, 'Conflict', 'NotFound')) {
        return { left, total, error: error as Error, isPassing: isReason(error, ...passing) };
      }
    }
    left -= 1;
  }
  return { left, total };
}

type Names = Pick<KubernetesObject['metadata'], 'name' | 'namespace' | 'resourceVersion'>;

async function objectsUntil(client: Client, kind: Kind<KubernetesObject>, until: number) {
  const candidates: Names[] = [];
  let total = 0;
  let next: string | undefined;
  do {
    const page = await client.list(kind, { limit: pageSize, continue: next });
    total += page.items.length;
    for (const { metadata } of page.items) {
      const { name, namespace, resourceVersion } = metadata;
      if (Number(resourceVersion) <= until) candidates.push({ name, namespace, resourceVersion });
    }
    next = page.metadata.continue || undefined;
  } while (next);
  return { total, candidates };
}
