// Generated from the facts by packages/api/generate; never edited.
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
