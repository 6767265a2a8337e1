// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.ts';

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[] | undefined;
}

export interface ClusterRole {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  rules: PolicyRule[];
  aggregationRule?: AggregationRule | undefined;
}

export interface ClusterRoleBinding {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
}

export interface ClusterRoleBindingList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ClusterRoleBinding[];
}

export interface ClusterRoleList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ClusterRole[];
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
}

export interface Role {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  rules: PolicyRule[];
}

export interface RoleBinding {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
}

export interface RoleBindingList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: RoleBinding[];
}

export interface RoleList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Role[];
}

export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  apiGroup?: string | undefined;
  name: string;
  namespace?: string | undefined;
}

export const ClusterRoleBinding = kind<ClusterRoleBinding>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRoleBinding","plural":"clusterrolebindings","namespaced":false});
export const ClusterRole = kind<ClusterRole>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRole","plural":"clusterroles","namespaced":false});
export const RoleBinding = kind<RoleBinding>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"RoleBinding","plural":"rolebindings","namespaced":true});
export const Role = kind<Role>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"Role","plural":"roles","namespaced":true});
