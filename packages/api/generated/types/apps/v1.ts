// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type ControllerRevision = types.ControllerRevision;
export const ControllerRevision = kind<ControllerRevision>({"group":"apps","version":"v1","kind":"ControllerRevision","plural":"controllerrevisions","namespaced":true});
export type DaemonSet = types.DaemonSet;
export const DaemonSet = kind<DaemonSet>({"group":"apps","version":"v1","kind":"DaemonSet","plural":"daemonsets","namespaced":true});
export type Deployment = types.Deployment;
export const Deployment = kind<Deployment>({"group":"apps","version":"v1","kind":"Deployment","plural":"deployments","namespaced":true});
export type ReplicaSet = types.ReplicaSet;
export const ReplicaSet = kind<ReplicaSet>({"group":"apps","version":"v1","kind":"ReplicaSet","plural":"replicasets","namespaced":true});
export type StatefulSet = types.StatefulSet;
export const StatefulSet = kind<StatefulSet>({"group":"apps","version":"v1","kind":"StatefulSet","plural":"statefulsets","namespaced":true});
