export { admissionEnvironment, applyConfigurationType, type AdmissionVariables } from './admission.ts';
export { Environment, type EnvironmentOptions } from './environment.ts';
export { CelCompileError, CelCostError, CelError, type CelIssue } from './errors.ts';
export { kubernetesEnvironment } from './kubernetes.ts';
export {
  authorizerType,
  authorizerValue,
  resourceCheckType,
  resourceCheckValue,
  type AuthorizationAnswer,
  type AuthorizationQuery,
  type Authorize,
} from './library/authorizer.ts';
export { jsonPatchType } from './library/json-patch.ts';
export { compilePattern, isKnownPattern } from './library/regex.ts';
export { quantityType } from './library/quantity.ts';
export type { Range } from './estimate/estimate-range.ts';
export {
  compileProgram,
  matchConditionsCostBudget,
  perCallCostMax,
  Program,
  runtimeCostBudget,
  type Attempt,
  type Bindings,
  type Evaluation,
} from './program.ts';
export { structName } from './struct-names.ts';
export { toJson } from './evaluate/to-json.ts';
export { declaredSchema, escapeProperty, schemaType, type CelSchema, type DeclaredSchema } from './schema-type.ts';
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  optionalType,
  stringType,
  timestampType,
  type CelField,
  type CelObjectType,
  type CelType,
  type ListType,
} from './types.ts';
export { Double, Duration, Opaque, Optional, Timestamp, type CelValue } from './values.ts';
