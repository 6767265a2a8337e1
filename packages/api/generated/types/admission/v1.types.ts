// Generated from the facts by packages/api/generate; never edited.
import type { UserInfo } from '../authentication/v1.types.ts';
import type { GroupVersionKind, GroupVersionResource, Status } from '../meta/v1.types.ts';

export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKind;
  resource: GroupVersionResource;
  subResource?: string | undefined;
  requestKind?: GroupVersionKind | undefined;
  requestResource?: GroupVersionResource | undefined;
  requestSubResource?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  operation: string;
  userInfo: UserInfo;
  object?: unknown | undefined;
  oldObject?: unknown | undefined;
  dryRun?: boolean | undefined;
  options?: unknown | undefined;
}

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: Status | undefined;
  patch?: string | undefined;
  patchType?: string | undefined;
  auditAnnotations?: { [key: string]: string } | undefined;
  warnings?: string[] | undefined;
}

export interface AdmissionReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  request?: AdmissionRequest | undefined;
  response?: AdmissionResponse | undefined;
}
