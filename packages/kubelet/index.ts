export { grpcCri } from './cri/grpc-cri.ts';
export { startKubelet } from './kubelet.ts';
export { kubeletVersion } from './node/node-object.ts';
export type { KubeletOptions } from './options.ts';
export type { KubeletAuthenticator } from './server/authentication.ts';
export type { KubeletAttributes, KubeletAuthorizer } from './server/authorization.ts';
export type { ListenOptions } from './server/kubelet-server.ts';
export type { Mounter } from './volumes/mounter.ts';
export { removePodMounts } from './volumes/remove-mounts.ts';
