import { registry } from '../define.ts';
import { clusterRoleBinding } from './cluster-role-binding.ts';
import { clusterRole } from './cluster-role.ts';
import { roleBinding } from './role-binding.ts';
import { role } from './role.ts';

export const rbacKinds = registry(clusterRoleBinding, clusterRole, roleBinding, role);
