export { createClient, pathOf } from './client.ts';
export type { Client, ListOptions, Patch, Target, WatchOptions, WriteOptions } from './client.ts';
export { controller, mapped, owned, status, subresource } from './controller.ts';
export type {
  ControllerDeclaration,
  ReconcileContext,
  ReconcileResult,
  Watch,
  WatchContext,
  WriteTarget,
} from './controller.ts';
export { createEventRecorder, referenceTo } from './event-recorder.ts';
export type { EventExtras, EventRecorder, EventRecorderOptions, EventType, Referable } from './event-recorder.ts';
export { httpsTransport, type HttpsTransportOptions } from './https-transport.ts';
export { createInformerFactory, type InformerFactoryOptions } from './informer-factory.ts';
export type { Informer, InformerChange, InformerFactory, InformerScope } from './informer.ts';
export { keyFrom, keyOf, splitKey } from './keys.ts';
export { kubeconfigTransport, type Kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { runLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { controlledBy, controllerOf, orphansIn } from './owners.ts';
export { permissionsOf } from './permissions.ts';
export { runController, type ControllerDependencies } from './run-controller.ts';
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from './work-queue.ts';
