export type { KindDefinition } from './definition.ts';
export { kind, type Draft, type Kind, type KubernetesObject, type ListOf } from './kind.ts';
export type { Duration, FieldsV1, IntOrString, MicroTime, Quantity, Time } from './scalars.ts';
export { shapeOf, shapeOfKind } from './shapes.ts';
export { StatusError, isReason, type FieldCause, type ResourceName, type StatusReason } from './status-error.ts';
export type { ApiRequest, StreamResponse, Transport, User, WatchEvent } from './transport.ts';
