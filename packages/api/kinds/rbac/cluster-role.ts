import { ClusterRole } from '../../generated/types/rbac/v1.ts';
import { define } from '../define.ts';

export const clusterRole = define(ClusterRole);
