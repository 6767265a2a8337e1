// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ExemptPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | undefined;
  lendablePercent?: number | undefined;
}

export interface FlowDistinguisherMethod {
  type: string;
}

export interface FlowSchema {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: FlowSchemaSpec;
  status: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface FlowSchemaList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: FlowSchema[];
}

export interface FlowSchemaSpec {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence: number;
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  rules?: PolicyRulesWithSubjects[] | undefined;
}

export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[] | undefined;
}

export interface GroupSubject {
  name: string;
}

export interface LimitResponse {
  type: string;
  queuing?: QueuingConfiguration | undefined;
}

export interface LimitedPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | undefined;
  limitResponse: LimitResponse;
  lendablePercent?: number | undefined;
  borrowingLimitPercent?: number | undefined;
}

export interface NonResourcePolicyRule {
  verbs: string[];
  nonResourceURLs: string[];
}

export interface PolicyRulesWithSubjects {
  subjects: Subject[];
  resourceRules?: ResourcePolicyRule[] | undefined;
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
}

export interface PriorityLevelConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PriorityLevelConfigurationSpec;
  status: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PriorityLevelConfigurationList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PriorityLevelConfiguration[];
}

export interface PriorityLevelConfigurationReference {
  name: string;
}

export interface PriorityLevelConfigurationSpec {
  type: string;
  limited?: LimitedPriorityLevelConfiguration | undefined;
  exempt?: ExemptPriorityLevelConfiguration | undefined;
}

export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
}

export interface QueuingConfiguration {
  queues: number;
  handSize: number;
  queueLengthLimit: number;
}

export interface ResourcePolicyRule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  clusterScope?: boolean | undefined;
  namespaces: string[];
}

export interface ServiceAccountSubject {
  namespace: string;
  name: string;
}

export interface Subject {
  kind: string;
  user?: UserSubject | undefined;
  group?: GroupSubject | undefined;
  serviceAccount?: ServiceAccountSubject | undefined;
}

export interface UserSubject {
  name: string;
}
