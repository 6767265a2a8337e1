import { Pod, Service, type Node } from '@kubernode/api/core/v1';
import { createEventRecorder, createInformerFactory } from '@kubernode/client';
import { ImageManager } from './images/image-manager.ts';
import type { NodeSetup } from './node-setup.ts';
import type { CompleteOptions } from './options.ts';
import { PodListeners } from './pod-listeners.ts';
import { FailureBackoff } from './pod-lifecycle/backoff.ts';
import { containerEvent, type PodContext } from './pods/pod-context.ts';
import { PodManager } from './pods/pod-manager.ts';
import { StatusWriter } from './pods/status-writer.ts';
import { ProbeManager } from './probes/probe-manager.ts';
import { runProbe } from './probes/run-probe.ts';
import { hostMounter } from './volumes/mounter.ts';
import { ReferencedObjects } from './volumes/objects.ts';
import { ServiceAccountTokens } from './volumes/tokens.ts';
import { VolumeManager } from './volumes/volume-manager.ts';

/** Upstream's crash loop: 10 s doubling to 5 min. */
const crashBackoffMs = { initialMs: 10_000, maxMs: 300_000 };

/** Everything that works on pods, put together and not yet started. */
export interface PodWork {
  readonly context: PodContext;
  readonly manager: PodManager;
  readonly listeners: PodListeners;
  /** Pods and services are known; before that no pod is begun. */
  readonly synced: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export function createPodWork(options: CompleteOptions, setup: NodeSetup, node: () => Node): PodWork {
  const { client, cri, clock, random, log, rootDir, nodeName } = options;
  const informers = createInformerFactory({ client, clock, random, log });
  const pods = informers.for(Pod, { fieldSelector: `spec.nodeName=${nodeName}` });
  const services = informers.for(Service);
  const recorder = createEventRecorder({ client, component: 'kubelet', host: nodeName, clock, log, random });
  const mounter = options.mounter ?? hostMounter;
  const wake = (podUid: string) => manager.notify(podUid);
  const context: PodContext = {
    cri,
    clock,
    log,
    random,
    rootDir,
    mounter,
    recorder,
    runtimeName: setup.runtimeName,
    cgroups: setup.cgroups,
    hostIps: options.nodeAddresses,
    node: setup.config,
    volumes: new VolumeManager({ client, rootDir, clock, log, mounter }),
    images: new ImageManager({ cri, clock, parallelPullsMax: options.parallelPullsMax }),
    objects: new ReferencedObjects({ client, clock, random, log, onChange: wake }),
    tokens: new ServiceAccountTokens({ client, clock, random }),
    crashBackoff: new FailureBackoff(crashBackoffMs),
    statuses: new StatusWriter({ client, clock, random, log }),
    probes: new ProbeManager({
      clock,
      random,
      log,
      startedAtMs: setup.startedAtMs,
      run: (probe, target) => runProbe(cri, clock, probe, target),
      onVerdict: wake,
      onUnhealthy: (pod, container, message) =>
        containerEvent(context, pod, container, 'Warning', 'Unhealthy', message),
    }),
    services: () => services.list(),
    allocatable: () => node().status.allocatable ?? {},
  };
  const manager: PodManager = new PodManager({ context, client, pods, node });
  return {
    context,
    manager,
    listeners: new PodListeners(),
    synced: () => informers.synced(),
    async stop() {
      await manager.stop();
      context.probes.stop();
      await Promise.all([context.objects.stop(), informers.stop()]);
      await context.statuses.stop();
      await recorder.stop();
    },
  };
}
