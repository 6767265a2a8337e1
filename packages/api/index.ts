export type { KindDefinition, SubresourceUpdate } from './definition.ts';
export { kind, type Draft, type Kind, type KubernetesObject, type ListOf } from './kind.ts';
export type { Duration, FieldsV1, IntOrString, MicroTime, Quantity, Time } from './scalars.ts';
export { findShape, shapeOf, shapeOfKind } from './shapes.ts';
export { StatusError, isReason, type FieldCause, type ResourceName, type StatusReason } from './status-error.ts';
export type { ApiRequest, StreamResponse, Transport, User, WatchEvent } from './transport.ts';
export { applyDefaults } from './codec/defaults.ts';
export { restoreEmpty } from './codec/empty.ts';
export { decodeCbor } from './codec/cbor/decode.ts';
export { cborAroundItems, encodeCbor, encodeCborEvent, encodeCborItem } from './codec/cbor/encode.ts';
export { decodeYaml, encodeYaml, type DecodedYaml } from './codec/yaml.ts';
export { DecodeError } from './codec/decode-error.ts';
export { jsonSyntaxError } from './codec/json-syntax.ts';
export {
  decodeFreeJson,
  decodeJson,
  decodeValue,
  encodeJson,
  encodeJsonText,
  type DecodeOptions,
  type Decoded,
} from './codec/json.ts';
export {
  scheme,
  type ColumnInfo,
  type GroupInfo,
  type ResourceInfo,
  type Scheme,
  type SubresourceInfo,
} from './scheme.ts';
export { encodeMessage, hasProtobuf } from './codec/protobuf/encode.ts';
export { decodeProtobuf, encodeProtobuf, isProtobuf, wrapMessage, type TypeMeta } from './codec/protobuf/envelope.ts';
export { encodeWatchFrame, listItemHeader, protobufListEnd, protobufListHead } from './codec/protobuf/list.ts';
export {
  createOpenApiDocuments,
  type OpenApiDocument,
  type OpenApiDocuments,
  type OpenApiForm,
  type OpenApiOptions,
} from './openapi/documents.ts';
export { openApiV2Protobuf } from './openapi/v2-protobuf.ts';
export type { GroupVersion, GroupVersions } from './openapi/parts.ts';
export type { OpenApiResource } from './openapi/operations.ts';
export { subdomainName } from './rules/names.ts';
export { addresses as serviceAddresses } from './rules/service/addresses.ts';
export { validateMetadata, validateMetadataUpdate, type MetadataRules } from './rules/metadata.ts';
export { notSaidYet, validateShape } from './rules/shape.ts';
export { fieldDropper } from './rules/feature-gates.ts';
export {
  type Compatibility,
  featureGateProblems,
  featureGates,
  featureGateStages,
  isFeatureGate,
  type IsEnabled,
  ownRelease,
} from './rules/gate-specs.ts';
export { requestedCommonName } from './rules/certificates/requested-name.ts';
export { qosClass } from './rules/pod/qos.ts';
export { toleration as validateToleration } from './rules/pod/scheduling.ts';
export { autoscalerFromV2, autoscalerToV2 } from './kinds/autoscaling/conversion.ts';
export {
  claimAsV1,
  claimAsV1beta1,
  sliceAsV1,
  sliceAsV1beta1,
  templateAsV1,
  templateAsV1beta1,
} from './rules/devices/versions.ts';
export { type AgingCell, type Cell, cellAt } from './cell.ts';
export { scaleRow } from './kinds/autoscaling/scale-row.ts';
export { addLists, podResources, type ResourceList } from './quota/resources.ts';
export { quotaScopesMatch, quotaUsageOf } from './quota/usage.ts';
