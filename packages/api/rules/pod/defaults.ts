import type {
  Container,
  LifecycleHandler,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Volume,
} from '../../generated/types/core/v1.ts';
import type { Pod, PodStatus } from '../../generated/types/core/v1.ts';
import { claimSpecDefaults } from '../volumes/claims.ts';
import { imageTag } from './image.ts';

const fileModeDefault = 0o644;
const tokenSecondsDefault = 3600;

/** What is filled in wherever a pod's spec stands, in a pod or in a template (core/v1 defaults). */
function podSpecDefaults(spec: PodSpec): void {
  spec.restartPolicy ||= 'Always';
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.schedulerName ||= 'default-scheduler';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  if (!spec.serviceAccountName && spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else delete spec.serviceAccount;
  for (const container of containersOf(spec)) containerDefaults(container);
  for (const volume of spec.volumes ?? []) volumeDefaults(volume);
}

/** The defaults of a template's pods. */
export function podTemplateDefaults(template: PodTemplateSpec | undefined): void {
  if (template?.spec) podSpecDefaults(template.spec);
}

/** The defaults of a pod: those of its spec, and what templates leave open. */
export function podDefaults({ spec, status }: Pod): void {
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  podSpecDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (status) alignIps(status);
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (spec.hostNetwork) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
    const { limits } = container.resources ?? {};
    if (limits && container.resources) {
      const requests = { ...limits, ...container.resources.requests };
      if (Object.keys(requests).length > 0) container.resources.requests = requests;
    }
  }
}

/** The one address and the list of them say the same; the older field wins. */
function alignIps(status: PodStatus): void {
  const [first] = status.podIPs ?? [];
  if (!status.podIP && first?.ip) status.podIP = first.ip;
  else if (status.podIP && first?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
}

/** All containers, in the order in which they are declared: init, main, ephemeral. */
function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function containerDefaults(container: Container): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.resources ??= {};
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    if (valueFrom?.resourceFieldRef) valueFrom.resourceFieldRef.divisor ??= '0';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) probeDefaults(probe);
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) handlerDefaults(handler);
}

/** `latest`, said or left out, is pulled always. */
const pullPolicyFor = (image: string) => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent');

function probeDefaults(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc) probe.grpc.service ??= '';
  handlerDefaults(probe);
}

function handlerDefaults(handler: Pick<LifecycleHandler, 'httpGet'> | undefined): void {
  if (!handler?.httpGet) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}

function volumeDefaults(volume: Volume): void {
  const { name: _, ...sources } = volume;
  if (Object.values(sources).every((source) => source === undefined)) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source) source.defaultMode ??= fileModeDefault;
  }
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.image) volume.image.pullPolicy ||= pullPolicyFor(volume.image.reference ?? '');
  if (volume.ephemeral?.volumeClaimTemplate) claimSpecDefaults(volume.ephemeral.volumeClaimTemplate.spec);
  const files = [...(volume.downwardAPI?.items ?? [])];
  for (const source of volume.projected?.sources ?? []) {
    files.push(...(source.downwardAPI?.items ?? []));
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= tokenSecondsDefault;
  }
  for (const { fieldRef, resourceFieldRef } of files) {
    if (fieldRef) fieldRef.apiVersion ||= 'v1';
    if (resourceFieldRef) resourceFieldRef.divisor ??= '0';
  }
  networkVolumeDefaults(volume);
}

function networkVolumeDefaults({ azureDisk, iscsi, rbd, scaleIO }: Volume): void {
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
