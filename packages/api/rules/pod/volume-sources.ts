import type { Rule } from '../rule.ts';
import { fields } from '../rule.ts';
import { required } from '../values.ts';
import type { Volume } from '../../generated/types/core/v1.ts';

interface NetworkSource {
  readonly name: keyof Volume;
  /** How causes spell it, where that differs. */
  readonly as?: string;
  readonly rule: Rule<never>;
  /** The source that upstream looks at next. */
  readonly before: 'secret' | 'persistentVolumeClaim' | 'downwardAPI' | 'configMap' | 'projected';
}

const needs = (...names: readonly string[]) =>
  fields<Record<string, unknown>>(Object.fromEntries(names.map((name) => [name, required]))) as Rule<never>;

/** Volumes of storage systems, of which only what must be there is checked. */
export const networkSources: readonly NetworkSource[] = [
  { name: 'gitRepo', rule: needs('repository'), before: 'secret' },
  { name: 'gcePersistentDisk', rule: needs('pdName'), before: 'secret' },
  { name: 'awsElasticBlockStore', rule: needs('volumeID'), before: 'secret' },
  { name: 'iscsi', rule: needs('targetPortal', 'iqn'), before: 'persistentVolumeClaim' },
  { name: 'glusterfs', rule: needs('endpoints', 'path'), before: 'persistentVolumeClaim' },
  { name: 'flocker', rule: needs(), before: 'persistentVolumeClaim' },
  { name: 'rbd', rule: needs('monitors', 'image'), before: 'downwardAPI' },
  { name: 'cinder', rule: needs('volumeID'), before: 'downwardAPI' },
  { name: 'cephfs', as: 'cephFS', rule: needs('monitors'), before: 'downwardAPI' },
  { name: 'quobyte', rule: needs('registry', 'volume'), before: 'downwardAPI' },
  { name: 'fc', rule: needs(), before: 'configMap' },
  { name: 'flexVolume', rule: needs('driver'), before: 'configMap' },
  { name: 'azureFile', rule: needs('secretName', 'shareName'), before: 'projected' },
  { name: 'vsphereVolume', rule: needs('volumePath'), before: 'projected' },
  { name: 'photonPersistentDisk', rule: needs('pdID'), before: 'projected' },
  { name: 'portworxVolume', rule: needs('volumeID'), before: 'projected' },
  { name: 'azureDisk', rule: needs('diskName', 'diskURI'), before: 'projected' },
  { name: 'storageos', rule: needs('volumeName'), before: 'projected' },
  { name: 'scaleIO', rule: needs('gateway', 'system', 'volumeName'), before: 'projected' },
];
