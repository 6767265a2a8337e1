export type { ApiServerOptions, ListenOptions, PostStartHook, Security, SecurityContext } from './options.ts';
export { parseFeatureGates, type FeatureGates } from './feature-gates.ts';
export { parseRuntimeConfig, type RuntimeConfig } from './runtime-config.ts';
export { startApiServer, type ApiServer } from './server.ts';
export {
  networkTransport,
  type Backend,
  type BackendRequest,
  type BackendResponse,
  type KubeletTransport,
  type NetworkTransportOptions,
} from './connect/kubelet-transport.ts';
export { FlagError, type GivenFlags } from './flags/group.ts';
export { optionsFromFlags, serverFlags } from './flags/index.ts';
export type { RequestHeaderOptions } from './authentication/request-header.ts';
export { kubeconfig, type KubeconfigOptions } from './pki/kubeconfig.ts';
export { createPki, type ClientName, type Pki, type PkiOptions } from './pki/pki.ts';
export { fileText, joinTexts, type Text } from './component-config/live-text.ts';
export { createSecurity, type SecurityOptions } from './security.ts';
export { withSecurity, type WithSecurityOptions } from './with-security.ts';
