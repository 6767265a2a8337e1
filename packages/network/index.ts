export { openBridgeNetwork, removeBridgeNetwork, type BridgeNetwork, type BridgeOptions } from './bridge/bridge.ts';
export { openCniNetwork, readCniConfigs, type CniOptions } from './cni/cni.ts';
export { CommandError, runCommand, type RunCommand } from './command.ts';
export { startDns, type DnsOptions, type DnsServer } from './dns/server.ts';
export { removeServiceTable, startServiceProxy, type ServiceProxyOptions } from './proxy/proxy.ts';
