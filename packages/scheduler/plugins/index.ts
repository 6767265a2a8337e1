import type { Plugin } from '../framework.ts';
import { imageLocality } from './image-locality.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName, nodePorts, nodeUnschedulable, schedulingGates } from './node-plugins.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './node-resources.ts';
import { podTopologySpread } from './pod-topology-spread.ts';
import { taintToleration } from './taint-toleration.ts';

/** In upstream's order: a node is refused by the first plugin that does not want it. */
export const defaultPlugins: readonly Plugin[] = [
  schedulingGates,
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  podTopologySpread,
  interPodAffinity,
  nodeResourcesBalancedAllocation,
  imageLocality,
];
