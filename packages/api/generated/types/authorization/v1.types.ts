// Generated from the facts by packages/api/generate; never edited.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from '../meta/v1.types.ts';

export interface FieldSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: FieldSelectorRequirement[] | undefined;
}

export interface LabelSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: LabelSelectorRequirement[] | undefined;
}

export interface LocalSubjectAccessReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  path?: string | undefined;
  verb?: string | undefined;
}

export interface NonResourceRule {
  verbs: string[];
  nonResourceURLs?: string[] | undefined;
}

export interface ResourceAttributes {
  namespace?: string | undefined;
  verb?: string | undefined;
  group?: string | undefined;
  version?: string | undefined;
  resource?: string | undefined;
  subresource?: string | undefined;
  name?: string | undefined;
  fieldSelector?: FieldSelectorAttributes | undefined;
  labelSelector?: LabelSelectorAttributes | undefined;
}

export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
}

export interface SelfSubjectAccessReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
}

export interface SelfSubjectRulesReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string | undefined;
}

export interface SubjectAccessReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
  user?: string | undefined;
  groups?: string[] | undefined;
  extra?: { [key: string]: string[] } | undefined;
  uid?: string | undefined;
}

export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean | undefined;
  reason?: string | undefined;
  evaluationError?: string | undefined;
}

export interface SubjectRulesReviewStatus {
  resourceRules: ResourceRule[];
  nonResourceRules: NonResourceRule[];
  incomplete: boolean;
  evaluationError?: string | undefined;
}
