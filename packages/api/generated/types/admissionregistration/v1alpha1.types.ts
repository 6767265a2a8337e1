// Generated from the facts by packages/api/generate; never edited.
import type { MatchCondition } from '../admissionregistration/v1.types.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ApplyConfiguration {
  expression?: string | undefined;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

export interface JSONPatch {
  expression?: string | undefined;
}

export interface MatchResources {
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  resourceRules?: NamedRuleWithOperations[] | undefined;
  excludeResourceRules?: NamedRuleWithOperations[] | undefined;
  matchPolicy?: "Equivalent" | "Exact" | undefined;
}

export interface MutatingAdmissionPolicy {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: MutatingAdmissionPolicyBinding[];
}

export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
}

export interface MutatingAdmissionPolicyList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: MutatingAdmissionPolicy[];
}

export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  variables?: Variable[] | undefined;
  mutations?: Mutation[] | undefined;
  failurePolicy?: "Fail" | "Ignore" | undefined;
  matchConditions?: MatchCondition[] | undefined;
  reinvocationPolicy?: string | undefined;
}

export interface Mutation {
  patchType: "ApplyConfiguration" | "JSONPatch";
  applyConfiguration?: ApplyConfiguration | undefined;
  jsonPatch?: JSONPatch | undefined;
}

export interface NamedRuleWithOperations {
  resourceNames?: string[] | undefined;
  operations?: ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: "*" | "Cluster" | "Namespaced" | undefined;
}

export interface ParamKind {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

export interface ParamRef {
  name?: string | undefined;
  namespace?: string | undefined;
  selector?: LabelSelector | undefined;
  parameterNotFoundAction?: "Allow" | "Deny" | undefined;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[] | undefined;
}

export interface ValidatingAdmissionPolicy {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ValidatingAdmissionPolicySpec;
  status: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ValidatingAdmissionPolicyBinding[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
  validationActions?: ("Audit" | "Deny" | "Warn")[] | undefined;
}

export interface ValidatingAdmissionPolicyList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ValidatingAdmissionPolicy[];
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  validations?: Validation[] | undefined;
  failurePolicy?: "Fail" | "Ignore" | undefined;
  auditAnnotations?: AuditAnnotation[] | undefined;
  matchConditions?: MatchCondition[] | undefined;
  variables?: Variable[] | undefined;
}

export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: number | undefined;
  typeChecking?: TypeChecking | undefined;
  conditions?: Condition[] | undefined;
}

export interface Validation {
  expression: string;
  message?: string | undefined;
  reason?: string | undefined;
  messageExpression?: string | undefined;
}

export interface Variable {
  name: string;
  expression: string;
}
