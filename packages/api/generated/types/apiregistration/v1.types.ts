// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface APIService {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: APIServiceSpec;
  status: APIServiceStatus;
}

export interface APIServiceCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface APIServiceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: APIService[];
}

export interface APIServiceSpec {
  service?: ServiceReference | undefined;
  group?: string | undefined;
  version?: string | undefined;
  insecureSkipTLSVerify?: boolean | undefined;
  caBundle?: string | undefined;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[] | undefined;
}

export interface ServiceReference {
  namespace?: string | undefined;
  name?: string | undefined;
  port?: number | undefined;
}
