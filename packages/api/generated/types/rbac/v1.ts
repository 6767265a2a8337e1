// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type ClusterRoleBinding = types.ClusterRoleBinding;
export const ClusterRoleBinding = kind<ClusterRoleBinding>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRoleBinding","plural":"clusterrolebindings","namespaced":false});
export type ClusterRole = types.ClusterRole;
export const ClusterRole = kind<ClusterRole>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRole","plural":"clusterroles","namespaced":false});
export type RoleBinding = types.RoleBinding;
export const RoleBinding = kind<RoleBinding>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"RoleBinding","plural":"rolebindings","namespaced":true});
export type Role = types.Role;
export const Role = kind<Role>({"group":"rbac.authorization.k8s.io","version":"v1","kind":"Role","plural":"roles","namespaced":true});
