import type { KeyPair } from '@kubernode/machinery/x509';
import {
  createEventRecorder,
  runController,
  type Client,
  type EventRecorder,
  type InformerFactory,
} from '@kubernode/client';
import type { Clock, Component, Logger } from '@kubernode/machinery';
import type { ControllerContext } from './built-in.ts';
import { builtInControllers } from './registry.ts';

export interface ControllersOptions {
  readonly client: Client;
  /** The client of one controller, as its service account in `kube-system`; without it all use `client`. */
  readonly clientFor?: ((serviceAccount: string) => Client) | undefined;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** PEM; published to every namespace as ConfigMap `kube-root-ca.crt`. Without it, nothing is published. */
  readonly rootCa?: string | undefined;
  /** Pod addresses of the cluster; each node gets a /24 of it. Without it, nodes get none. */
  readonly clusterCidr?: string | undefined;
  /** Signs approved certificate requests. Without it, they are not signed. */
  readonly clusterCa?: KeyPair | undefined;
}

/** Starts all built-in controllers; each does its work once its informers have synced. */
export async function startControllers(options: ControllersOptions): Promise<Component> {
  const recorders: EventRecorder[] = [];
  const running = builtInControllers.map((one) => {
    const { serviceAccount = one.name } = one;
    const client = (serviceAccount !== null && options.clientFor?.(serviceAccount)) || options.client;
    const recorder = createEventRecorder({ ...options, client, component: one.eventSource ?? one.name });
    recorders.push(recorder);
    const context: ControllerContext = { ...options, client, recorder };
    return 'start' in one ? one.start(context) : runController(one, context);
  });
  return {
    name: 'controllers',
    async stop() {
      await Promise.all(running.map((component) => component.stop()));
      await Promise.all(recorders.map((recorder) => recorder.stop()));
    },
  };
}
