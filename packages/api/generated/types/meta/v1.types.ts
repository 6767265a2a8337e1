// Generated from the facts by packages/api/generate; never edited.
import type { FieldsV1, Time } from '../../../scalars.ts';

export interface APIGroup {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
}

export interface APIGroupList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  groups: APIGroup[];
}

export interface APIResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string | undefined;
  version?: string | undefined;
  kind: string;
  verbs: string[];
  shortNames?: string[] | undefined;
  categories?: string[] | undefined;
  storageVersionHash?: string | undefined;
}

export interface APIResourceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  groupVersion: string;
  resources: APIResource[];
}

export interface APIVersions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

export interface ApplyOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  dryRun?: string[] | undefined;
  force: boolean;
  fieldManager: string;
}

export interface Condition {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

export interface CreateOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  dryRun?: string[] | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
}

export interface DeleteOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  gracePeriodSeconds?: number | undefined;
  preconditions?: Preconditions | undefined;
  orphanDependents?: boolean | undefined;
  propagationPolicy?: string | undefined;
  dryRun?: string[] | undefined;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

export interface GetOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  resourceVersion?: string | undefined;
}

export interface GroupKind {
  group: string;
  kind: string;
}

export interface GroupResource {
  group: string;
  resource: string;
}

export interface GroupVersion {
  group: string;
  version: string;
}

export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

export interface LabelSelector {
  matchLabels?: { [key: string]: string } | undefined;
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

export interface List {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: unknown[];
}

export interface ListMeta {
  selfLink?: string | undefined;
  resourceVersion?: string | undefined;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
  shardInfo?: ShardInfo | undefined;
}

export interface ListOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  watch?: boolean | undefined;
  allowWatchBookmarks?: boolean | undefined;
  resourceVersion?: string | undefined;
  resourceVersionMatch?: string | undefined;
  timeoutSeconds?: number | undefined;
  limit?: number | undefined;
  continue?: string | undefined;
  sendInitialEvents?: boolean | undefined;
  shardSelector?: string | undefined;
}

export interface ManagedFieldsEntry {
  manager?: string | undefined;
  operation?: string | undefined;
  apiVersion?: string | undefined;
  time?: Time | undefined;
  fieldsType?: string | undefined;
  fieldsV1?: FieldsV1 | undefined;
  subresource?: string | undefined;
}

export interface ObjectMeta {
  name: string;
  generateName?: string | undefined;
  namespace?: string | undefined;
  selfLink?: string | undefined;
  uid: string;
  resourceVersion: string;
  generation?: number | undefined;
  creationTimestamp: Time;
  deletionTimestamp?: Time | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: { [key: string]: string } | undefined;
  annotations?: { [key: string]: string } | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  finalizers?: string[] | undefined;
  managedFields?: ManagedFieldsEntry[] | undefined;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

export interface PartialObjectMetadata {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
}

export interface PartialObjectMetadataList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PartialObjectMetadata[];
}

export interface Patch {
}

export interface PatchOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  dryRun?: string[] | undefined;
  force?: boolean | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
}

export interface Preconditions {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

export interface RootPaths {
  paths: string[];
}

export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

export interface ShardInfo {
  selector: string;
}

export interface Status {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  status?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  details?: StatusDetails | undefined;
  code?: number | undefined;
}

export interface StatusCause {
  reason?: string | undefined;
  message?: string | undefined;
  field?: string | undefined;
}

export interface StatusDetails {
  name?: string | undefined;
  group?: string | undefined;
  kind?: string | undefined;
  uid?: string | undefined;
  causes?: StatusCause[] | undefined;
  retryAfterSeconds?: number | undefined;
}

export interface Table {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  columnDefinitions: TableColumnDefinition[];
  rows: TableRow[];
}

export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

export interface TableOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  includeObject?: string | undefined;
}

export interface TableRow {
  cells: unknown[];
  conditions?: TableRowCondition[] | undefined;
  object?: unknown | undefined;
}

export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface Timestamp {
  seconds: number;
  nanos: number;
}

export interface TypeMeta {
  kind?: string | undefined;
  apiVersion?: string | undefined;
}

export interface UpdateOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  dryRun?: string[] | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
}

export interface WatchEvent {
  type: string;
  object: unknown;
}
