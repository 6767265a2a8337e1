import { registry } from '../define.ts';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

export const flowcontrolKinds = registry(flowSchema, priorityLevelConfiguration);
