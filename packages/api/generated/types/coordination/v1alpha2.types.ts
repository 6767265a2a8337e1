// Generated from the facts by packages/api/generate; never edited.
import type { MicroTime } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
