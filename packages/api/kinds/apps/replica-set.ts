import { ReplicaSet } from '../../generated/types/apps/v1.ts';
import { define } from '../define.ts';

export const replicaSet = define(ReplicaSet);
