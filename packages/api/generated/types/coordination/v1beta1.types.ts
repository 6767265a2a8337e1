// Generated from the facts by packages/api/generate; never edited.
import type { MicroTime } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Lease {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: LeaseSpec;
}

export interface LeaseCandidate {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: LeaseCandidateSpec;
}

export interface LeaseCandidateList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: LeaseCandidate[];
}

export interface LeaseCandidateSpec {
  leaseName: string;
  pingTime?: MicroTime | undefined;
  renewTime?: MicroTime | undefined;
  binaryVersion: string;
  emulationVersion?: string | undefined;
  strategy?: string | undefined;
}

export interface LeaseList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Lease[];
}

export interface LeaseSpec {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  acquireTime?: MicroTime | undefined;
  renewTime?: MicroTime | undefined;
  leaseTransitions?: number | undefined;
  strategy?: string | undefined;
  preferredHolder?: string | undefined;
}
