import type { KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';

/** Which object a node of the graph stands for. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** '' for an object of the cluster; for an owner that was only heard of, the namespace of who named it. */
  readonly namespace: string;
  readonly uid: string;
}

export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  /** Named by a dependent, and not seen itself yet. */
  isVirtual: boolean;
  isBeingDeleted: boolean;
  /** Deleted in the foreground: it waits for its dependents to go. */
  isDeletingDependents: boolean;
}

/** What a change of the graph makes due. */
export interface Due {
  /** Whether the object of this uid should still be there. */
  toCheck(uid: string): void;
  /** The dependents of the object of this uid are to be let go. */
  toOrphan(uid: string): void;
  /** A reference that cannot be: the owner is in another namespace. */
  invalidNamespace(node: GraphNode, owner: OwnerReference): void;
}

const foregroundFinalizer = 'foregroundDeletion';
const orphanFinalizer = 'orphan';

/** Who owns whom, by uid. Every change costs as much as the references that change. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #due: Due;

  constructor(due: Due) {
    this.#due = due;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object as it is now. */
  observe(object: KubernetesObject): void {
    const { apiVersion = '', kind = '', metadata } = object;
    const { uid, name, namespace = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = metadata;
    const identity = { apiVersion, kind, name, namespace, uid };
    let node = this.#nodes.get(uid);
    if (!node) {
      node = newNode(identity, false);
      this.#nodes.set(uid, node);
    } else if (node.isVirtual) {
      this.#becomeReal(node, identity);
    }
    this.#updateOwners(node, ownerReferences);
    node.isBeingDeleted = deletionTimestamp !== undefined;
    if (!node.isBeingDeleted) return;
    if (finalizers.includes(orphanFinalizer)) this.#due.toOrphan(uid);
    const isForeground = finalizers.includes(foregroundFinalizer);
    if (isForeground && !node.isDeletingDependents) {
      node.isDeletingDependents = true;
      for (const dependent of node.dependents) this.#due.toCheck(dependent.identity.uid);
      this.#due.toCheck(uid);
    }
  }

  /** An object that is gone, or that was never there. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      owner?.dependents.delete(node);
      if (owner?.isDeletingDependents) this.#due.toCheck(ownerUid);
      if (owner?.isVirtual && owner.dependents.size === 0) this.#nodes.delete(ownerUid);
    }
    for (const dependent of node.dependents) this.#due.toCheck(dependent.identity.uid);
  }

  /** Makes sure that an owner that is there, but was not seen yet, knows its dependent. */
  link(node: GraphNode): void {
    for (const owner of node.owners) this.#addDependent(node, owner, false);
  }

  #becomeReal(node: GraphNode, identity: Identity): void {
    node.identity = identity;
    node.isVirtual = false;
    for (const dependent of node.dependents) {
      const reference = dependent.owners.find(({ uid }) => uid === identity.uid);
      if (reference && !couldOwn(identity, reference, dependent.identity.namespace)) this.#reject(dependent, reference);
    }
  }

  #updateOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    if (before.length === 0 && owners.length === 0) return;
    node.owners = owners;
    for (const owner of owners) {
      const known = before.find(({ uid }) => uid === owner.uid);
      if (!known) this.#addDependent(node, owner, true);
      else if (known.blockOwnerDeletion && !owner.blockOwnerDeletion) this.#unblock(owner.uid);
    }
    for (const { uid } of before) {
      if (owners.some((owner) => owner.uid === uid)) continue;
      this.#nodes.get(uid)?.dependents.delete(node);
      this.#unblock(uid);
    }
  }

  #addDependent(node: GraphNode, reference: OwnerReference, isNew: boolean): void {
    const { uid, apiVersion, kind, name } = reference;
    const owner = this.#nodes.get(uid);
    if (!owner) {
      const identity = { uid, apiVersion, kind, name, namespace: node.identity.namespace };
      const virtual = newNode(identity, true);
      virtual.dependents.add(node);
      this.#nodes.set(uid, virtual);
      if (isNew) this.#due.toCheck(uid);
      return;
    }
    owner.dependents.add(node);
    if (!isNew) return;
    if (!owner.isVirtual && !couldOwn(owner.identity, reference, node.identity.namespace))
      this.#reject(node, reference);
    if (owner.isDeletingDependents) this.#due.toCheck(node.identity.uid);
  }

  #reject(node: GraphNode, reference: OwnerReference): void {
    this.#due.invalidNamespace(node, reference);
    this.#due.toCheck(node.identity.uid);
  }

  #unblock(ownerUid: string): void {
    if (this.#nodes.get(ownerUid)?.isDeletingDependents) this.#due.toCheck(ownerUid);
  }
}

function newNode(identity: Identity, isVirtual: boolean): GraphNode {
  return {
    identity,
    owners: [],
    dependents: new Set(),
    isVirtual,
    isBeingDeleted: false,
    isDeletingDependents: false,
  };
}

/** An owner is in the dependent's namespace, or in none; and what the reference says of it is true. */
export function couldOwn(owner: Identity, reference: OwnerReference, namespace: string): boolean {
  if (owner.namespace !== '' && owner.namespace !== namespace) return false;
  return (
    owner.name === reference.name &&
    owner.kind === reference.kind &&
    groupOf(owner.apiVersion) === groupOf(reference.apiVersion)
  );
}

export const groupOf = (apiVersion: string) =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
