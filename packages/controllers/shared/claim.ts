import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import { controlledBy, controllerOf, orphansIn, type ReconcileContext } from '@kubernode/client';
import { labelSelectorMatcher, type LabelSelectorLike } from '@kubernode/machinery';
import { controllerReference } from './owner-reference.ts';

export interface ClaimOptions<T> {
  /** The kind of the owner, and the owner. */
  readonly ownerKind: Kind<unknown>;
  readonly owner: KubernetesObject;
  readonly selector: LabelSelectorLike | undefined;
  /** The kind that is owned. */
  readonly kind: Kind<T>;
  /** Whether an orphan is worth adopting; default: all that are not on their way out. */
  readonly canAdopt?: (object: T) => boolean;
  /** Added to what is adopted. */
  readonly finalizers?: readonly string[];
}

/**
 * What belongs to the owner: takes matching objects that nobody controls, and lets go of its own that no longer match
 * (ControllerRefManager). The owner is read anew before the first adoption, as it may be gone and made again meanwhile.
 */
export async function claim<T extends KubernetesObject>(
  options: ClaimOptions<T>,
  context: ReconcileContext,
): Promise<T[]> {
  const { owner, selector, kind, canAdopt = () => true } = options;
  const matcher = labelSelectorMatcher(selector);
  const informer = context.informer(kind);
  const own = controlledBy(informer, owner);
  const kept = own.filter(
    ({ metadata }) => matcher.matches(metadata.labels) || metadata.deletionTimestamp !== undefined,
  );
  const isEnding = owner.metadata.deletionTimestamp !== undefined;
  const strangers = own.filter((object) => !kept.includes(object));
  if (!isEnding) for (const object of strangers) await release(kind, object, owner, context);
  const orphans = orphansIn(informer, owner.metadata.namespace ?? '').filter(
    (object) =>
      matcher.matches(object.metadata.labels) && object.metadata.deletionTimestamp === undefined && canAdopt(object),
  );
  if (isEnding || orphans.length === 0) return kept;
  await assertStillThere(options.ownerKind, owner, context);
  const adopted = await Promise.all(orphans.map((object) => adopt(object, options, context)));
  return [...kept, ...adopted.filter((object) => object !== undefined)];
}

async function assertStillThere(
  kind: Kind<unknown>,
  owner: KubernetesObject,
  { client }: ReconcileContext,
): Promise<void> {
  const { name, namespace, uid } = owner.metadata;
  const live = (await client.get(kind, name, namespace)) as KubernetesObject;
  if (live.metadata.uid !== uid)
    throw new Error(`${kind.kind} ${namespace}/${name} was made anew: it has uid ${live.metadata.uid}, not ${uid}`);
  if (live.metadata.deletionTimestamp) throw new Error(`${kind.kind} ${namespace}/${name} has just been deleted`);
}

async function adopt<T extends KubernetesObject>(
  { metadata }: T,
  { kind, ownerKind, owner, finalizers }: ClaimOptions<T>,
  { client }: ReconcileContext,
): Promise<T | undefined> {
  const { name, namespace, uid } = metadata;
  const ownerReferences = [controllerReference(ownerKind, owner)];
  const body = { metadata: { uid, ownerReferences, ...(finalizers ? { finalizers } : {}) } };
  try {
    return await client.patch(kind, { name, namespace }, { type: 'strategic', body });
  } catch (error) {
    if (isReason(error, 'NotFound', 'Invalid', 'Conflict')) return undefined;
    throw error;
  }
}

async function release<T extends KubernetesObject>(
  kind: Kind<T>,
  object: T,
  owner: KubernetesObject,
  { client }: ReconcileContext,
): Promise<void> {
  const { name, namespace, uid } = object.metadata;
  if (controllerOf(object)?.uid !== owner.metadata.uid) return;
  const body = { metadata: { uid, ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }] } };
  await client.patch(kind, { name, namespace }, { type: 'strategic', body }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound', 'Invalid')) throw error;
  });
}
