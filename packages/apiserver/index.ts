export type { ApiServerOptions, ListenOptions, PostStartHook, Security, SecurityContext } from './options.ts';
export { parseRuntimeConfig, type RuntimeConfig } from './runtime-config.ts';
export { startApiServer, type ApiServer } from './server.ts';
