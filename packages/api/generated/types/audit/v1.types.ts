// Generated from the facts by packages/api/generate; never edited.
import type { MicroTime } from '../../../scalars.ts';
import type { UserInfo } from '../authentication/v1.types.ts';
import type { ListMeta, ObjectMeta, Status } from '../meta/v1.types.ts';

export interface AuthenticationMetadata {
  impersonationConstraint?: string | undefined;
}

export interface Event {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  level: string;
  auditID: string;
  stage: string;
  requestURI: string;
  verb: string;
  user: UserInfo;
  impersonatedUser?: UserInfo | undefined;
  authenticationMetadata?: AuthenticationMetadata | undefined;
  sourceIPs?: string[] | undefined;
  userAgent?: string | undefined;
  objectRef?: ObjectReference | undefined;
  responseStatus?: Status | undefined;
  requestObject?: unknown | undefined;
  responseObject?: unknown | undefined;
  requestReceivedTimestamp: MicroTime;
  stageTimestamp: MicroTime;
  annotations?: { [key: string]: string } | undefined;
}

export interface EventList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Event[];
}

export interface GroupResources {
  group?: string | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
}

export interface ObjectReference {
  resource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  apiGroup?: string | undefined;
  apiVersion?: string | undefined;
  resourceVersion?: string | undefined;
  subresource?: string | undefined;
}

export interface Policy {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  rules: PolicyRule[];
  omitStages?: string[] | undefined;
  omitManagedFields?: boolean | undefined;
}

export interface PolicyList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Policy[];
}

export interface PolicyRule {
  level: string;
  users?: string[] | undefined;
  userGroups?: string[] | undefined;
  verbs?: string[] | undefined;
  resources?: GroupResources[] | undefined;
  namespaces?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
  omitStages?: string[] | undefined;
  omitManagedFields?: boolean | undefined;
}
