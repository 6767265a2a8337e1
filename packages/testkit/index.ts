export { simulation, startCluster, type TestCluster, type TestClusterOptions } from './cluster.ts';
export { type SimulatedNode } from './simulated-node.ts';
