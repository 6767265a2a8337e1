// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta, Status } from '../meta/v1.types.ts';

export interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
  objects: unknown[];
}

export interface ConversionResponse {
  uid: string;
  convertedObjects: unknown[];
  result: Status;
}

export interface ConversionReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  request?: ConversionRequest | undefined;
  response?: ConversionResponse | undefined;
}

export interface CustomResourceColumnDefinition {
  name: string;
  type: string;
  format?: string | undefined;
  description?: string | undefined;
  priority?: number | undefined;
  jsonPath: string;
}

export interface CustomResourceConversion {
  strategy: string;
  webhook?: WebhookConversion | undefined;
}

export interface CustomResourceDefinition {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CustomResourceDefinitionSpec;
  status: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  observedGeneration?: number | undefined;
}

export interface CustomResourceDefinitionList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CustomResourceDefinition[];
}

export interface CustomResourceDefinitionNames {
  plural: string;
  singular?: string | undefined;
  shortNames?: string[] | undefined;
  kind: string;
  listKind?: string | undefined;
  categories?: string[] | undefined;
}

export interface CustomResourceDefinitionSpec {
  group: string;
  names: CustomResourceDefinitionNames;
  scope: string;
  versions: CustomResourceDefinitionVersion[];
  conversion?: CustomResourceConversion | undefined;
  preserveUnknownFields?: boolean | undefined;
}

export interface CustomResourceDefinitionStatus {
  conditions: CustomResourceDefinitionCondition[];
  acceptedNames: CustomResourceDefinitionNames;
  storedVersions: string[];
  observedGeneration?: number | undefined;
}

export interface CustomResourceDefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean | undefined;
  deprecationWarning?: string | undefined;
  schema?: CustomResourceValidation | undefined;
  subresources?: CustomResourceSubresources | undefined;
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  selectableFields?: SelectableField[] | undefined;
}

export interface CustomResourceSubresourceScale {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string | undefined;
}

export interface CustomResourceSubresourceStatus {
}

export interface CustomResourceSubresources {
  status?: CustomResourceSubresourceStatus | undefined;
  scale?: CustomResourceSubresourceScale | undefined;
}

export interface CustomResourceValidation {
  openAPIV3Schema?: JSONSchemaProps | undefined;
}

export interface ExternalDocumentation {
  description?: string | undefined;
  url?: string | undefined;
}

export type JSON = unknown;

export interface JSONSchemaProps {
  id?: string | undefined;
  "$schema"?: string | undefined;
  "$ref"?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  title?: string | undefined;
  default?: JSON | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: boolean | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  multipleOf?: number | undefined;
  enum?: JSON[] | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  required?: string[] | undefined;
  items?: JSONSchemaPropsOrArray | undefined;
  allOf?: JSONSchemaProps[] | undefined;
  oneOf?: JSONSchemaProps[] | undefined;
  anyOf?: JSONSchemaProps[] | undefined;
  not?: JSONSchemaProps | undefined;
  properties?: { [key: string]: JSONSchemaProps } | undefined;
  additionalProperties?: JSONSchemaPropsOrBool | undefined;
  patternProperties?: { [key: string]: JSONSchemaProps } | undefined;
  dependencies?: { [key: string]: JSONSchemaPropsOrStringArray } | undefined;
  additionalItems?: JSONSchemaPropsOrBool | undefined;
  definitions?: { [key: string]: JSONSchemaProps } | undefined;
  externalDocs?: ExternalDocumentation | undefined;
  example?: JSON | undefined;
  nullable?: boolean | undefined;
  "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  "x-kubernetes-embedded-resource"?: boolean | undefined;
  "x-kubernetes-int-or-string"?: boolean | undefined;
  "x-kubernetes-list-map-keys"?: string[] | undefined;
  "x-kubernetes-list-type"?: string | undefined;
  "x-kubernetes-map-type"?: string | undefined;
  "x-kubernetes-validations"?: ValidationRule[] | undefined;
}

export type JSONSchemaPropsOrArray = JSONSchemaProps | JSONSchemaProps[];

export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean;

export type JSONSchemaPropsOrStringArray = JSONSchemaProps | string[];

export interface SelectableField {
  jsonPath: string;
}

export interface ServiceReference {
  namespace: string;
  name: string;
  path?: string | undefined;
  port?: number | undefined;
}

export interface ValidationRule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired" | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

export interface WebhookClientConfig {
  url?: string | undefined;
  service?: ServiceReference | undefined;
  caBundle?: string | undefined;
}

export interface WebhookConversion {
  clientConfig?: WebhookClientConfig | undefined;
  conversionReviewVersions: string[];
}
