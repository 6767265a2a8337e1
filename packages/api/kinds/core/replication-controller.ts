import { ReplicationController } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const replicationController = define(ReplicationController);
