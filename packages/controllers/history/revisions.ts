import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import { ControllerRevision } from '@kubernode/api/apps/v1';
import type { PodTemplateSpec } from '@kubernode/api/core/v1';
import type { ReconcileContext } from '@kubernode/client';
import { deepEqual, parseJsonExactly } from '@kubernode/machinery';
import { contentHash } from '../shared/hash.ts';
import { controllerReference } from '../shared/owner-reference.ts';

/** What a revision of a StatefulSet or DaemonSet is made of. */
export interface RevisionOptions {
  readonly ownerKind: Kind<unknown>;
  readonly owner: KubernetesObject;
  readonly template: PodTemplateSpec;
  /** The label that tells the revision's hash. */
  readonly hashLabel: string;
  readonly collisionCount: number | undefined;
}

/** The part of the owner that a rollback puts back, as a strategic merge patch. */
export interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch?: string } };
}

/** The revisions in their order; of the same number, the older first. */
export function inOrder(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return revisions.toSorted(
    (a, b) =>
      Number(a.revision) - Number(b.revision) ||
      compareTexts(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
      compareTexts(a.metadata.name, b.metadata.name),
  );
}

const compareTexts = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0);

function dataOf(template: PodTemplateSpec): RevisionData {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

/** The template that a revision holds. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (data as RevisionData).spec.template;
  return template;
}

/** Whether a revision holds this template; what the server's defaults leave out or in does not count. */
export function holds(revision: ControllerRevision, template: PodTemplateSpec): boolean {
  return deepEqual(plain(templateOf(revision)), plain(template));
}

/** As JSON has it: raw data went through a codec that knows no shapes. */
const plain = (value: unknown): unknown => parseJsonExactly(JSON.stringify(value));

/**
 * The revision of the present template: the known one, its number raised to the newest where it is an earlier one
 * (a rollback), else a new one. Answers it, and the collision count, raised where a name was taken.
 */
export async function syncRevision(
  options: RevisionOptions,
  known: readonly ControllerRevision[],
  context: ReconcileContext,
): Promise<{ readonly revision: ControllerRevision; readonly collisionCount: number | undefined }> {
  const ordered = inOrder(known);
  const newest = ordered.at(-1);
  const next = Number(newest?.revision ?? 0) + 1;
  const equal = ordered.findLast((revision) => holds(revision, options.template));
  if (!equal) return createRevision(options, next, context);
  const { collisionCount } = options;
  if (equal === newest) return { revision: equal, collisionCount };
  return { revision: await context.client.update(ControllerRevision, { ...equal, revision: next }), collisionCount };
}

async function createRevision(options: RevisionOptions, revision: number, { client }: ReconcileContext) {
  const { ownerKind, owner, template, hashLabel } = options;
  const { namespace } = owner.metadata;
  for (let collisionCount = options.collisionCount; ; collisionCount = (collisionCount ?? 0) + 1) {
    const hash = contentHash(template, collisionCount);
    const name = `${owner.metadata.name}-${hash}`;
    const metadata = {
      name,
      namespace,
      labels: { ...template.metadata.labels, [hashLabel]: hash },
      annotations: owner.metadata.annotations,
      ownerReferences: [controllerReference(ownerKind, owner)],
    };
    try {
      const made = await client.create(ControllerRevision, { metadata, data: dataOf(template), revision });
      return { revision: made, collisionCount };
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error;
      const present = await client.get(ControllerRevision, name, namespace);
      const isOurs = present.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
      if (isOurs && holds(present, template)) return { revision: present, collisionCount };
    }
  }
}

/** Deletes the oldest revisions beyond the limit; those in use do not count. */
export async function truncateHistory(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
  { client }: ReconcileContext,
): Promise<void> {
  const unused = inOrder(revisions).filter(({ metadata }) => !inUse.has(metadata.name));
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
    const { name, namespace } = metadata;
    await client.delete(ControllerRevision, { name, namespace }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  }
}
