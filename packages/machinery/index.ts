export { absentList, isAbsentList } from './absent-lists.ts';
export { applyConfiguration, type Applied, type ApplyConfiguration } from './apply/apply-configuration.ts';
export { applyOverLastApplied } from './apply/last-applied.ts';
export { aggregateMessages } from './aggregate.ts';
export { ownersOfParent, ownersOfScale } from './apply/scale-owners.ts';
export { ApplyError, checkConfiguration } from './apply/field-set.ts';
export { mergeConfiguration } from './apply/merge.ts';
export type { Fields } from './apply/fields.ts';
export { areManagedFields, type ManagedFieldsEntry } from './apply/managed-fields.ts';
export { conflictMessage, type ApplyConflict } from './apply/ownership.ts';
export { trackUpdate, type TrackUpdate } from './apply/track-update.ts';
export { Backoff, type BackoffOptions } from './backoff.ts';
export { table } from './table.ts';
export { BoundedMap, ExpiringMap } from './bounded-map.ts';
export { FakeClock, preciseNow, sleep, systemClock, type Clock } from './clock.ts';
export type { Component } from './component.ts';
export { withStatusCondition } from './conditions.ts';
export { type Mutable, deepClone, deepEqual, deepFreeze } from './deep.ts';
export { formatDuration, humanDuration, parseDuration, shortHumanDuration } from './duration.ts';
export {
  escapeFieldValue,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  type FieldRequirement,
} from './field-selector.ts';
export { Heap, type HeapOptions } from './heap.ts';
export { IntrusiveSet, type Placed } from './intrusive-set.ts';
export { isPercent, resolveIntOrPercent } from './int-or-string.ts';
export {
  canonicalCidr,
  canonicalIp,
  canonicalIpAddress,
  cidr,
  cidrContains,
  cidrSize,
  formatCidr,
  ipAddress,
  ipFamily,
  ipNumber,
  ipOf,
  isIp,
  parseCidr,
  type Cidr,
  type IpFamily,
} from './ip.ts';
export {
  exactInteger,
  hasLongDigits,
  isInt64,
  parseJsonExactly,
  shortestInteger,
  withSource,
} from './json-integers.ts';
export { sameJson, withSortedKeys } from './json-value.ts';
export { parseLabelSelector } from './label-selector-parser.ts';
export {
  everything,
  formatLabelSelector,
  labelSelectorMatcher,
  labelsMatcher,
  nothing,
  requirementsMatcher,
  type LabelMatcher,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelectorLike,
} from './label-selector.ts';
export { silentLogger, type LogFields, type Logger } from './log.ts';
export { makeFolder, makeFolderSync } from './make-folder.ts';
export {
  annotationKey,
  cIdentifier,
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  dns1123SubdomainWithUnderscore,
  envVarName,
  finalizerName,
  httpHeaderName,
  inclusiveRangeMessage,
  isUid,
  labelValue,
  maxLengthMessage,
  pathSegmentName,
  patternMessage,
  percent,
  portName,
  portNumber,
  qualifiedName,
  relaxedEnvVarName,
  unixId,
  wildcardDns1123Subdomain,
} from './names.ts';
export { jsonPatch, PatchError, type JsonPatchOperation } from './patch/json-patch.ts';
export { createMergePatch, mergePatch } from './patch/merge-patch.ts';
export { PatchFormatError } from './patch/strategic-directives.ts';
export { strategicMergePatch } from './patch/strategic-merge-patch.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isQuantity,
  quantityMilli,
  quantityOf,
  quantityOfMilli,
  quantityScaled,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';
export { jitter, randomSuffix, seededRandom, uid, type Random } from './random.ts';
export type { AnyShape, Field, ListShape, MapShape, ObjectShape, ScalarShape, ScalarType, Shape } from './shape.ts';
export { switchProtocols } from './switch-protocols.ts';
export { formatMicroTime, formatTime, parseTime } from './time.ts';
export { trimEndOf } from './trim-end.ts';
export { TokenBucket, type TokenBucketOptions } from './token-bucket.ts';
