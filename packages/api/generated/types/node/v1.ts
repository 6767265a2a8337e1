// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type RuntimeClass = types.RuntimeClass;
export const RuntimeClass = kind<RuntimeClass>({"group":"node.k8s.io","version":"v1","kind":"RuntimeClass","plural":"runtimeclasses","namespaced":false});
