// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type FlowSchema = types.FlowSchema;
export const FlowSchema = kind<FlowSchema>({"group":"flowcontrol.apiserver.k8s.io","version":"v1","kind":"FlowSchema","plural":"flowschemas","namespaced":false});
export type PriorityLevelConfiguration = types.PriorityLevelConfiguration;
export const PriorityLevelConfiguration = kind<PriorityLevelConfiguration>({"group":"flowcontrol.apiserver.k8s.io","version":"v1","kind":"PriorityLevelConfiguration","plural":"prioritylevelconfigurations","namespaced":false});
