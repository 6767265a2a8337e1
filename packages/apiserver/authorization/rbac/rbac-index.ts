import type { KubernetesObject, User } from '@kubernode/api';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '@kubernode/api/rbac/v1';
import type { ClusterState } from '../../seams.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

type Binding = RoleBinding | ClusterRoleBinding;

/** One rule that a user has, and through which binding. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  readonly binding: Binding;
  readonly subject: Subject;
}

/** A binding that a user is a subject of. */
export interface Grant {
  readonly binding: Binding;
  readonly subject: Subject;
}

const serviceAccountPrefix = 'system:serviceaccount:';

/**
 * Bindings by their subjects, kept from the cluster's state as it changes, so that a decision looks only at what
 * concerns its user. `onChange` is called after every change of a role or a binding.
 */
export class RbacIndex {
  readonly #state: ClusterState;
  /** By namespace ('' for cluster role bindings), then by subject. */
  readonly #grants = new Map<string, Map<string, Map<string, Grant>>>();
  readonly #keysOfBinding = new Map<string, readonly string[]>();
  readonly #onChange: () => void;
  #loaded = false;

  constructor(state: ClusterState, onChange: () => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  /** Rules of the user, cluster-wide ones first, then those of the namespace. Missing roles are told to `onMissing`. */
  *rulesFor(user: User, namespace: string, onMissing?: (message: string) => void): Generator<GrantedRule> {
    this.#load();
    yield* this.#rulesIn('', user, onMissing);
    if (namespace) yield* this.#rulesIn(namespace, user, onMissing);
  }

  *#rulesIn(namespace: string, user: User, onMissing?: (message: string) => void): Generator<GrantedRule> {
    const grants = this.#grants.get(namespace);
    if (!grants) return;
    for (const key of subjectKeys(user)) {
      for (const { binding, subject } of grants.get(key)?.values() ?? []) {
        const rules = this.rulesOf(binding.roleRef, namespace);
        if (!rules) onMissing?.(missingRole(binding.roleRef));
        else for (const rule of rules) yield { rule, binding, subject };
      }
    }
  }

  /** The rules of a role; undefined where it does not exist. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role =
      ref.kind === 'ClusterRole'
        ? this.#state.get(rbacGroup, 'clusterroles', ref.name)
        : this.#state.get(rbacGroup, 'roles', ref.name, namespace);
    return role && ((role as Role | ClusterRole).rules ?? []);
  }

  /** Reads what is there at first use: by then the state is complete, and its changes are followed from then on. */
  #load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    for (const resource of ['rolebindings', 'clusterrolebindings']) {
      for (const binding of this.#state.list(rbacGroup, resource)) this.#put(binding);
      this.#state.onChange(rbacGroup, resource, (binding, deleted) => {
        this.#remove(binding);
        if (!deleted) this.#put(binding);
        this.#onChange();
      });
    }
    for (const resource of ['roles', 'clusterroles']) this.#state.onChange(rbacGroup, resource, () => this.#onChange());
  }

  #put(object: KubernetesObject): void {
    const binding = object as Binding;
    const namespace = binding.metadata.namespace || '';
    const id = `${namespace}/${binding.metadata.name}`;
    const subjects = this.#grants.get(namespace) ?? new Map<string, Map<string, Grant>>();
    this.#grants.set(namespace, subjects);
    const keys: string[] = [];
    for (const subject of binding.subjects ?? []) {
      const key = keyOf(subject, namespace);
      const grants = subjects.get(key) ?? new Map<string, Grant>();
      subjects.set(key, grants);
      if (!grants.has(id)) grants.set(id, { binding, subject });
      keys.push(key);
    }
    this.#keysOfBinding.set(id, keys);
  }

  #remove(binding: KubernetesObject): void {
    const namespace = binding.metadata.namespace || '';
    const id = `${namespace}/${binding.metadata.name}`;
    const subjects = this.#grants.get(namespace);
    for (const key of this.#keysOfBinding.get(id) ?? []) {
      const grants = subjects?.get(key);
      grants?.delete(id);
      if (grants?.size === 0) subjects?.delete(key);
    }
    this.#keysOfBinding.delete(id);
  }
}

/** A service account is a user by its full name; its subject may leave the namespace out in a role binding. */
function keyOf(subject: Subject, namespace: string): string {
  if (subject.kind === 'Group') return `g:${subject.name}`;
  if (subject.kind === 'User') return `u:${subject.name}`;
  return `u:${serviceAccountPrefix}${subject.namespace || namespace}:${subject.name}`;
}

const subjectKeys = (user: User): string[] => [`u:${user.name}`, ...user.groups.map((group) => `g:${group}`)];

const missingRole = (ref: RoleRef): string =>
  `${ref.kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(ref.name)} not found`;
