import { ClusterRoleBinding } from '../../generated/types/rbac/v1.ts';
import { define } from '../define.ts';

export const clusterRoleBinding = define(ClusterRoleBinding);
