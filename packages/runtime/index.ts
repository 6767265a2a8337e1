export { serveCri } from './grpc.ts';
export { checkHost, type HostFinding } from './host/check.ts';
export { parseReference, formatReference, type Reference } from './images/reference.ts';
export type { RegistryCredentials } from './images/registry-auth.ts';
export type { ImageRecord } from './images/store.ts';
export type { RuntimeOptions } from './options.ts';
export { openRuntime, resetRuntime, type Runtime } from './runtime.ts';

export { type BusyboxImageOptions, writeBusyboxImage } from './testing/busybox-image.ts';
