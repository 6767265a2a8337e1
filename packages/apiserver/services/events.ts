import { hostname } from 'node:os';
import type { KubernetesObject, Transport } from '@kubernode/api';
import { formatMicroTime, randomSuffix, type Clock, type Logger, type Random } from '@kubernode/machinery';

export interface EventText {
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** Tells whoever looks at an object what is wrong with it. Never throws: an event that is lost is logged. */
export type WarnOf = (
  kind: { readonly apiVersion: string; readonly kind: string },
  object: KubernetesObject,
  text: EventText,
) => void;

interface Parts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Warnings as events.k8s.io/v1 Events of a controller of that name. */
export function eventRecorder(controller: string, { transport, clock, random, log }: Parts): WarnOf {
  return ({ apiVersion, kind }, { metadata }, { reason, action, note }) => {
    const namespace = metadata.namespace ?? 'default';
    const { name, uid, resourceVersion } = metadata;
    const body = {
      metadata: { name: `${name}.${randomSuffix(random, 10)}`, namespace },
      eventTime: formatMicroTime(clock.now()),
      reportingController: controller,
      reportingInstance: `${controller}-${hostname()}`,
      action,
      reason,
      type: 'Warning',
      note,
      regarding: { apiVersion, kind, name, namespace: metadata.namespace, uid, resourceVersion },
    };
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    transport.request({ method: 'POST', path, body }).catch((error: unknown) => {
      log.warn('an event could not be written', { reason, name, error: String(error) });
    });
  };
}
