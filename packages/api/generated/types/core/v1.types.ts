// Generated from the facts by packages/api/generate; never edited.
import type { IntOrString, MicroTime, Quantity, Time } from '../../../scalars.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta, OwnerReference } from '../meta/v1.types.ts';

export interface AWSElasticBlockStoreVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
}

export interface Affinity {
  nodeAffinity?: NodeAffinity | undefined;
  podAffinity?: PodAffinity | undefined;
  podAntiAffinity?: PodAntiAffinity | undefined;
}

export interface AppArmorProfile {
  type: "Localhost" | "RuntimeDefault" | "Unconfined";
  localhostProfile?: string | undefined;
}

export interface AttachedVolume {
  name: string;
  devicePath: string;
}

export interface AvoidPods {
  preferAvoidPods?: PreferAvoidPodsEntry[] | undefined;
}

export interface AzureDiskVolumeSource {
  diskName: string;
  diskURI: string;
  cachingMode?: "None" | "ReadOnly" | "ReadWrite" | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  kind?: "Dedicated" | "Managed" | "Shared" | undefined;
}

export interface AzureFilePersistentVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
  secretNamespace?: string | undefined;
}

export interface AzureFileVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
}

export interface Binding {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  target: ObjectReference;
}

export interface CSIPersistentVolumeSource {
  driver: string;
  volumeHandle: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: { [key: string]: string } | undefined;
  controllerPublishSecretRef?: SecretReference | undefined;
  nodeStageSecretRef?: SecretReference | undefined;
  nodePublishSecretRef?: SecretReference | undefined;
  controllerExpandSecretRef?: SecretReference | undefined;
  nodeExpandSecretRef?: SecretReference | undefined;
}

export interface CSIVolumeSource {
  driver: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: { [key: string]: string } | undefined;
  nodePublishSecretRef?: LocalObjectReference | undefined;
}

export interface Capabilities {
  add?: string[] | undefined;
  drop?: string[] | undefined;
}

export interface CephFSPersistentVolumeSource {
  monitors: string[];
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
}

export interface CephFSVolumeSource {
  monitors: string[];
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
}

export interface CinderPersistentVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
}

export interface CinderVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
}

export interface ClientIPConfig {
  timeoutSeconds?: number | undefined;
}

export interface ClusterTrustBundleProjection {
  name?: string | undefined;
  signerName?: string | undefined;
  labelSelector?: LabelSelector | undefined;
  optional?: boolean | undefined;
  path: string;
  user?: number | undefined;
}

export interface ComponentCondition {
  type: string;
  status: string;
  message?: string | undefined;
  error?: string | undefined;
}

export interface ComponentStatus {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  conditions?: ComponentCondition[] | undefined;
}

export interface ComponentStatusList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ComponentStatus[];
}

export interface ConfigMap {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  immutable?: boolean | undefined;
  data?: { [key: string]: string } | undefined;
  binaryData?: { [key: string]: string } | undefined;
}

export interface ConfigMapEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

export interface ConfigMapKeySelector {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
}

export interface ConfigMapList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ConfigMap[];
}

export interface ConfigMapNodeConfigSource {
  namespace: string;
  name: string;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  kubeletConfigKey: string;
}

export interface ConfigMapProjection {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
}

export interface ConfigMapVolumeSource {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
  defaultUser?: number | undefined;
}

export interface Container {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File" | undefined;
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
}

export interface ContainerExtendedResourceRequest {
  containerName: string;
  resourceName: string;
  requestName: string;
}

export interface ContainerImage {
  names: string[];
  sizeBytes?: number | undefined;
}

export interface ContainerPort {
  name?: string | undefined;
  hostPort?: number | undefined;
  containerPort: number;
  protocol?: "SCTP" | "TCP" | "UDP" | undefined;
  hostIP?: string | undefined;
}

export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

export interface ContainerRestartRule {
  action?: string | undefined;
  exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
}

export interface ContainerRestartRuleOnExitCodes {
  operator?: string | undefined;
  values?: number[] | undefined;
}

export interface ContainerState {
  waiting?: ContainerStateWaiting | undefined;
  running?: ContainerStateRunning | undefined;
  terminated?: ContainerStateTerminated | undefined;
}

export interface ContainerStateRunning {
  startedAt?: Time | undefined;
}

export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  startedAt?: Time | undefined;
  finishedAt?: Time | undefined;
  containerID?: string | undefined;
}

export interface ContainerStateWaiting {
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string | undefined;
  started?: boolean | undefined;
  allocatedResources?: { [key: string]: Quantity } | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMountStatus[] | undefined;
  user?: ContainerUser | undefined;
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
  stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ" | undefined;
}

export interface ContainerUser {
  linux?: LinuxContainerUser | undefined;
}

export interface DaemonEndpoint {
  Port: number;
}

export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[] | undefined;
}

export interface DownwardAPIVolumeFile {
  path: string;
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  mode?: number | undefined;
  user?: number | undefined;
}

export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[] | undefined;
  defaultMode?: number | undefined;
  defaultUser?: number | undefined;
}

export interface EmptyDirVolumeSource {
  medium?: string | undefined;
  sizeLimit?: Quantity | undefined;
  mode?: number | undefined;
}

export interface EndpointAddress {
  ip: string;
  hostname?: string | undefined;
  nodeName?: string | undefined;
  targetRef?: ObjectReference | undefined;
}

export interface EndpointPort {
  name?: string | undefined;
  port: number;
  protocol?: "SCTP" | "TCP" | "UDP" | undefined;
  appProtocol?: string | undefined;
}

export interface EndpointSubset {
  addresses?: EndpointAddress[] | undefined;
  notReadyAddresses?: EndpointAddress[] | undefined;
  ports?: EndpointPort[] | undefined;
}

export interface Endpoints {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  subsets?: EndpointSubset[] | undefined;
}

export interface EndpointsList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Endpoints[];
}

export interface EnvFromSource {
  prefix?: string | undefined;
  configMapRef?: ConfigMapEnvSource | undefined;
  secretRef?: SecretEnvSource | undefined;
}

export interface EnvVar {
  name: string;
  value?: string | undefined;
  valueFrom?: EnvVarSource | undefined;
}

export interface EnvVarSource {
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  secretKeyRef?: SecretKeySelector | undefined;
  fileKeyRef?: FileKeySelector | undefined;
}

export interface EphemeralContainer {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File" | undefined;
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
  targetContainerName?: string | undefined;
}

export interface EphemeralContainerCommon {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File" | undefined;
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
}

export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}

export interface Event {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  reason?: string | undefined;
  message?: string | undefined;
  source: EventSource;
  firstTimestamp?: Time | undefined;
  lastTimestamp?: Time | undefined;
  count?: number | undefined;
  type?: string | undefined;
  eventTime?: MicroTime | undefined;
  series?: EventSeries | undefined;
  action?: string | undefined;
  related?: ObjectReference | undefined;
  reportingComponent: string;
  reportingInstance: string;
}

export interface EventList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Event[];
}

export interface EventSeries {
  count?: number | undefined;
  lastObservedTime?: MicroTime | undefined;
}

export interface EventSource {
  component?: string | undefined;
  host?: string | undefined;
}

export interface EvictionResponder {
  name: string;
  priority?: number | undefined;
}

export interface ExecAction {
  command?: string[] | undefined;
}

export interface FCVolumeSource {
  targetWWNs?: string[] | undefined;
  lun?: number | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  wwids?: string[] | undefined;
}

export interface FileKeySelector {
  volumeName: string;
  path: string;
  key: string;
  optional?: boolean | undefined;
}

export interface FlexPersistentVolumeSource {
  driver: string;
  fsType?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
  options?: { [key: string]: string } | undefined;
}

export interface FlexVolumeSource {
  driver: string;
  fsType?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
  options?: { [key: string]: string } | undefined;
}

export interface FlockerVolumeSource {
  datasetName?: string | undefined;
  datasetUUID?: string | undefined;
}

export interface GCEPersistentDiskVolumeSource {
  pdName: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
}

export interface GRPCAction {
  port: number;
  service?: string | undefined;
  mode?: "Plaintext" | "TLS" | undefined;
}

export interface GitRepoVolumeSource {
  repository: string;
  revision?: string | undefined;
  directory?: string | undefined;
}

export interface GlusterfsPersistentVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
  endpointsNamespace?: string | undefined;
}

export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
}

export interface HTTPGetAction {
  path?: string | undefined;
  port: IntOrString;
  host?: string | undefined;
  scheme?: "HTTP" | "HTTPS" | undefined;
  httpHeaders?: HTTPHeader[] | undefined;
  protocol?: "HTTP1" | "HTTP2" | undefined;
}

export interface HTTPHeader {
  name: string;
  value: string;
}

export interface HostAlias {
  ip: string;
  hostnames?: string[] | undefined;
}

export interface HostIP {
  ip: string;
}

export interface HostPathVolumeSource {
  path: string;
  type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket" | undefined;
}

export interface ISCSIPersistentVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  initiatorName?: string | undefined;
}

export interface ISCSIVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  initiatorName?: string | undefined;
}

export interface ImageVolumeSource {
  reference?: string | undefined;
  pullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
}

export interface ImageVolumeStatus {
  imageRef?: string | undefined;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number | undefined;
  user?: number | undefined;
}

export interface Lifecycle {
  postStart?: LifecycleHandler | undefined;
  preStop?: LifecycleHandler | undefined;
  stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ" | undefined;
}

export interface LifecycleHandler {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  sleep?: SleepAction | undefined;
}

export interface LimitRange {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: LimitRangeSpec;
}

export interface LimitRangeItem {
  type: string;
  max?: { [key: string]: Quantity } | undefined;
  min?: { [key: string]: Quantity } | undefined;
  default?: { [key: string]: Quantity } | undefined;
  defaultRequest?: { [key: string]: Quantity } | undefined;
  maxLimitRequestRatio?: { [key: string]: Quantity } | undefined;
}

export interface LimitRangeList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: LimitRange[];
}

export interface LimitRangeSpec {
  limits: LimitRangeItem[];
}

export interface LinuxContainerUser {
  uid: number;
  gid: number;
  supplementalGroups?: number[] | undefined;
}

export interface LoadBalancerIngress {
  ip?: string | undefined;
  hostname?: string | undefined;
  ipMode?: string | undefined;
  ports?: PortStatus[] | undefined;
}

export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[] | undefined;
}

export interface LocalObjectReference {
  name?: string | undefined;
}

export interface LocalVolumeSource {
  path: string;
  fsType?: string | undefined;
}

export interface ModifyVolumeStatus {
  targetVolumeAttributesClassName?: string | undefined;
  status: "InProgress" | "Infeasible" | "Pending";
}

export interface NFSVolumeSource {
  server: string;
  path: string;
  readOnly?: boolean | undefined;
}

export interface Namespace {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: NamespaceSpec;
  status: NamespaceStatus;
}

export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface NamespaceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Namespace[];
}

export interface NamespaceSpec {
  finalizers?: string[] | undefined;
}

export interface NamespaceStatus {
  phase?: "Active" | "Terminating" | undefined;
  conditions?: NamespaceCondition[] | undefined;
}

export interface Node {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: NodeSpec;
  status: NodeStatus;
}

export interface NodeAddress {
  type: string;
  address: string;
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
}

export interface NodeAllocatableMappedResources {
  name: string;
  quantity?: Quantity | undefined;
}

export interface NodeAllocatableOverheadResources {
  name: string;
  perPod?: Quantity | undefined;
  perContainer?: Quantity | undefined;
}

export interface NodeAllocatableResourceClaimStatus {
  resourceClaimName: string;
  containers?: string[] | undefined;
  mapping?: NodeAllocatableMappedResources[] | undefined;
  overhead?: NodeAllocatableOverheadResources[] | undefined;
}

export interface NodeCondition {
  type: string;
  status: string;
  lastHeartbeatTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource | undefined;
}

export interface NodeConfigStatus {
  assigned?: NodeConfigSource | undefined;
  active?: NodeConfigSource | undefined;
  lastKnownGood?: NodeConfigSource | undefined;
  error?: string | undefined;
}

export interface NodeDaemonEndpoints {
  kubeletEndpoint: DaemonEndpoint;
}

export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean | undefined;
}

export interface NodeList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Node[];
}

export interface NodePodPreemptionPolicy {
  disableResizePreemption?: string[] | undefined;
}

export interface NodeProxyOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  path?: string | undefined;
}

export interface NodeRuntimeHandler {
  name: string;
  features?: NodeRuntimeHandlerFeatures | undefined;
}

export interface NodeRuntimeHandlerFeatures {
  recursiveReadOnlyMounts?: boolean | undefined;
  userNamespaces?: boolean | undefined;
}

export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[];
}

export interface NodeSelectorRequirement {
  key: string;
  operator: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  values?: string[] | undefined;
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  matchFields?: NodeSelectorRequirement[] | undefined;
}

export interface NodeSpec {
  podCIDR?: string | undefined;
  podCIDRs?: string[] | undefined;
  providerID?: string | undefined;
  unschedulable?: boolean | undefined;
  taints?: Taint[] | undefined;
  configSource?: NodeConfigSource | undefined;
  externalID?: string | undefined;
  podPreemptionPolicy?: NodePodPreemptionPolicy | undefined;
}

export interface NodeStatus {
  capacity?: { [key: string]: Quantity } | undefined;
  allocatable?: { [key: string]: Quantity } | undefined;
  phase?: "Pending" | "Running" | "Terminated" | undefined;
  conditions?: NodeCondition[] | undefined;
  addresses?: NodeAddress[] | undefined;
  daemonEndpoints: NodeDaemonEndpoints;
  nodeInfo: NodeSystemInfo;
  images?: ContainerImage[] | undefined;
  volumesInUse?: string[] | undefined;
  volumesAttached?: AttachedVolume[] | undefined;
  config?: NodeConfigStatus | undefined;
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  features?: NodeFeatures | undefined;
  declaredFeatures?: string[] | undefined;
}

export interface NodeSwapStatus {
  capacity?: number | undefined;
}

export interface NodeSystemInfo {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion: string;
  operatingSystem: string;
  architecture: string;
  swap?: NodeSwapStatus | undefined;
  runningInUserNamespace?: boolean | undefined;
}

export interface ObjectFieldSelector {
  apiVersion?: string | undefined;
  fieldPath: string;
}

export interface ObjectReference {
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  apiVersion?: string | undefined;
  resourceVersion?: string | undefined;
  fieldPath?: string | undefined;
}

export interface PersistentVolume {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PersistentVolumeSpec;
  status: PersistentVolumeStatus;
}

export interface PersistentVolumeClaim {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
  status: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimCondition {
  type: string;
  status: string;
  lastProbeTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PersistentVolumeClaimList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PersistentVolumeClaim[];
}

export interface PersistentVolumeClaimSpec {
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[] | undefined;
  selector?: LabelSelector | undefined;
  resources: VolumeResourceRequirements;
  volumeName?: string | undefined;
  storageClassName?: string | undefined;
  volumeMode?: "Block" | "Filesystem" | undefined;
  dataSource?: TypedLocalObjectReference | undefined;
  dataSourceRef?: TypedObjectReference | undefined;
  volumeAttributesClassName?: string | undefined;
}

export interface PersistentVolumeClaimStatus {
  phase?: "Bound" | "Lost" | "Pending" | undefined;
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[] | undefined;
  capacity?: { [key: string]: Quantity } | undefined;
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  allocatedResources?: { [key: string]: Quantity } | undefined;
  allocatedResourceStatuses?: { [key: string]: "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizeInProgress" | "NodeResizeInfeasible" | "NodeResizePending" } | undefined;
  currentVolumeAttributesClassName?: string | undefined;
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
  healthStatus?: VolumeHealthStatus | undefined;
}

export interface PersistentVolumeClaimTemplate {
  metadata: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean | undefined;
}

export interface PersistentVolumeList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PersistentVolume[];
}

export interface PersistentVolumeSource {
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
}

export interface PersistentVolumeSpec {
  capacity?: { [key: string]: Quantity } | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[] | undefined;
  claimRef?: ObjectReference | undefined;
  persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain" | undefined;
  storageClassName?: string | undefined;
  mountOptions?: string[] | undefined;
  volumeMode?: "Block" | "Filesystem" | undefined;
  nodeAffinity?: VolumeNodeAffinity | undefined;
  volumeAttributesClassName?: string | undefined;
}

export interface PersistentVolumeStatus {
  phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released" | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  lastPhaseTransitionTime?: Time | undefined;
}

export interface PhotonPersistentDiskVolumeSource {
  pdID: string;
  fsType?: string | undefined;
}

export interface Pod {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector | undefined;
  namespaces?: string[] | undefined;
  topologyKey: string;
  namespaceSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
}

export interface PodAntiAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

export interface PodAttachOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  stdin?: boolean | undefined;
  stdout?: boolean | undefined;
  stderr?: boolean | undefined;
  tty?: boolean | undefined;
  container?: string | undefined;
}

export interface PodCertificateProjection {
  signerName?: string | undefined;
  keyType?: string | undefined;
  maxExpirationSeconds?: number | undefined;
  credentialBundlePath?: string | undefined;
  keyPath?: string | undefined;
  certificateChainPath?: string | undefined;
  userAnnotations?: { [key: string]: string } | undefined;
  user?: number | undefined;
}

export interface PodCondition {
  type: string;
  observedGeneration?: number | undefined;
  status: string;
  lastProbeTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PodDNSConfig {
  nameservers?: string[] | undefined;
  searches?: string[] | undefined;
  options?: PodDNSConfigOption[] | undefined;
}

export interface PodDNSConfigOption {
  name?: string | undefined;
  value?: string | undefined;
}

export interface PodExecOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  stdin?: boolean | undefined;
  stdout?: boolean | undefined;
  stderr?: boolean | undefined;
  tty?: boolean | undefined;
  container?: string | undefined;
  command: string[];
}

export interface PodExtendedResourceClaimStatus {
  requestMappings: ContainerExtendedResourceRequest[];
  resourceClaimName: string;
}

export interface PodIP {
  ip: string;
}

export interface PodList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Pod[];
}

export interface PodLogOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  container?: string | undefined;
  follow?: boolean | undefined;
  previous?: boolean | undefined;
  sinceSeconds?: number | undefined;
  sinceTime?: Time | undefined;
  timestamps?: boolean | undefined;
  tailLines?: number | undefined;
  limitBytes?: number | undefined;
  insecureSkipTLSVerifyBackend?: boolean | undefined;
  stream?: string | undefined;
}

export interface PodOS {
  name: string;
}

export interface PodPortForwardOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  ports?: number[] | undefined;
}

export interface PodProxyOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  path?: string | undefined;
}

export interface PodReadinessGate {
  conditionType: string;
}

export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
}

export interface PodResourceClaimStatus {
  name: string;
  resourceClaimName?: string | undefined;
}

export interface PodSchedulingGate {
  name: string;
}

export interface PodSchedulingGroup {
  podGroupName?: string | undefined;
}

export interface PodSecurityContext {
  seLinuxOptions?: SELinuxOptions | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  runAsUser?: number | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  supplementalGroups?: number[] | undefined;
  supplementalGroupsPolicy?: "Merge" | "Strict" | undefined;
  fsGroup?: number | undefined;
  sysctls?: Sysctl[] | undefined;
  fsGroupChangePolicy?: "Always" | "OnRootMismatch" | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
  seLinuxChangePolicy?: string | undefined;
}

export interface PodSignature {
  podController?: OwnerReference | undefined;
}

export interface PodSpec {
  volumes?: Volume[] | undefined;
  initContainers?: Container[] | undefined;
  containers: Container[];
  ephemeralContainers?: EphemeralContainer[] | undefined;
  restartPolicy?: "Always" | "Never" | "OnFailure" | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None" | undefined;
  nodeSelector?: { [key: string]: string } | undefined;
  serviceAccountName?: string | undefined;
  serviceAccount?: string | undefined;
  automountServiceAccountToken?: boolean | undefined;
  nodeName?: string | undefined;
  hostNetwork?: boolean | undefined;
  hostPID?: boolean | undefined;
  hostIPC?: boolean | undefined;
  shareProcessNamespace?: boolean | undefined;
  securityContext?: PodSecurityContext | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  hostname?: string | undefined;
  subdomain?: string | undefined;
  affinity?: Affinity | undefined;
  schedulerName?: string | undefined;
  tolerations?: Toleration[] | undefined;
  hostAliases?: HostAlias[] | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  dnsConfig?: PodDNSConfig | undefined;
  readinessGates?: PodReadinessGate[] | undefined;
  runtimeClassName?: string | undefined;
  enableServiceLinks?: boolean | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
  overhead?: { [key: string]: Quantity } | undefined;
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  setHostnameAsFQDN?: boolean | undefined;
  os?: PodOS | undefined;
  hostUsers?: boolean | undefined;
  schedulingGates?: PodSchedulingGate[] | undefined;
  resourceClaims?: PodResourceClaim[] | undefined;
  resources?: ResourceRequirements | undefined;
  hostnameOverride?: string | undefined;
  schedulingGroup?: PodSchedulingGroup | undefined;
  evictionResponders?: EvictionResponder[] | undefined;
}

export interface PodStatus {
  observedGeneration?: number | undefined;
  phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown" | undefined;
  conditions?: PodCondition[] | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  nominatedNodeName?: string | undefined;
  hostIP?: string | undefined;
  hostIPs?: HostIP[] | undefined;
  podIP?: string | undefined;
  podIPs?: PodIP[] | undefined;
  startTime?: Time | undefined;
  initContainerStatuses?: ContainerStatus[] | undefined;
  containerStatuses?: ContainerStatus[] | undefined;
  qosClass?: "BestEffort" | "Burstable" | "Guaranteed" | undefined;
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  resize?: string | undefined;
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
  allocatedResources?: { [key: string]: Quantity } | undefined;
  resources?: ResourceRequirements | undefined;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
  volumeHealth?: PodVolumeHealth[] | undefined;
}

export interface PodTemplate {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  template: PodTemplateSpec;
}

export interface PodTemplateList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PodTemplate[];
}

export interface PodTemplateSpec {
  metadata: ObjectMeta;
  spec: PodSpec;
}

export interface PodVolumeHealth {
  name: string;
  healthConditions?: VolumeHealthCondition[] | undefined;
  lastTransitionTime?: Time | undefined;
}

export interface PortStatus {
  port: number;
  protocol: "SCTP" | "TCP" | "UDP";
  error?: string | undefined;
}

export interface PortworxVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface Preconditions {
  uid?: string | undefined;
}

export interface PreferAvoidPodsEntry {
  podSignature: PodSignature;
  evictionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PreferredSchedulingTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

export interface Probe {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
  initialDelaySeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
  periodSeconds?: number | undefined;
  successThreshold?: number | undefined;
  failureThreshold?: number | undefined;
  terminationGracePeriodSeconds?: number | undefined;
}

export interface ProbeHandler {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
}

export interface ProjectedVolumeSource {
  sources: VolumeProjection[];
  defaultMode?: number | undefined;
  defaultUser?: number | undefined;
}

export interface QuobyteVolumeSource {
  registry: string;
  volume: string;
  readOnly?: boolean | undefined;
  user?: string | undefined;
  group?: string | undefined;
  tenant?: string | undefined;
}

export interface RBDPersistentVolumeSource {
  monitors: string[];
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
}

export interface RBDVolumeSource {
  monitors: string[];
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
}

export interface RangeAllocation {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  range: string;
  data: string;
}

export interface ReplicationController {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ReplicationControllerSpec;
  status: ReplicationControllerStatus;
}

export interface ReplicationControllerCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ReplicationControllerList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ReplicationController[];
}

export interface ReplicationControllerSpec {
  replicas?: number | undefined;
  minReadySeconds?: number | undefined;
  selector?: { [key: string]: string } | undefined;
  template?: PodTemplateSpec | undefined;
}

export interface ReplicationControllerStatus {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  conditions?: ReplicationControllerCondition[] | undefined;
}

export interface ResourceClaim {
  name: string;
  request?: string | undefined;
}

export interface ResourceFieldSelector {
  containerName?: string | undefined;
  resource: string;
  divisor?: Quantity | undefined;
}

export interface ResourceHealth {
  resourceID: string;
  health?: string | undefined;
  message?: string | undefined;
}

export interface ResourceQuota {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ResourceQuotaSpec;
  status: ResourceQuotaStatus;
}

export interface ResourceQuotaList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ResourceQuota[];
}

export interface ResourceQuotaSpec {
  hard?: { [key: string]: Quantity } | undefined;
  scopes?: ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass")[] | undefined;
  scopeSelector?: ScopeSelector | undefined;
}

export interface ResourceQuotaStatus {
  hard?: { [key: string]: Quantity } | undefined;
  used?: { [key: string]: Quantity } | undefined;
}

export interface ResourceRequirements {
  limits?: { [key: string]: Quantity } | undefined;
  requests?: { [key: string]: Quantity } | undefined;
  claims?: ResourceClaim[] | undefined;
}

export interface ResourceStatus {
  name: string;
  resources?: ResourceHealth[] | undefined;
}

export interface SELinuxOptions {
  user?: string | undefined;
  role?: string | undefined;
  type?: string | undefined;
  level?: string | undefined;
}

export interface ScaleIOPersistentVolumeSource {
  gateway: string;
  system: string;
  secretRef?: SecretReference | undefined;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface ScaleIOVolumeSource {
  gateway: string;
  system: string;
  secretRef?: LocalObjectReference | undefined;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}

export interface ScopedResourceSelectorRequirement {
  scopeName: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass";
  operator: "DoesNotExist" | "Exists" | "In" | "NotIn";
  values?: string[] | undefined;
}

export interface SeccompProfile {
  type: "Localhost" | "RuntimeDefault" | "Unconfined";
  localhostProfile?: string | undefined;
}

export interface Secret {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  immutable?: boolean | undefined;
  data?: { [key: string]: string } | undefined;
  stringData?: { [key: string]: string } | undefined;
  type?: string | undefined;
}

export interface SecretEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

export interface SecretKeySelector {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
}

export interface SecretList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Secret[];
}

export interface SecretProjection {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
}

export interface SecretReference {
  name?: string | undefined;
  namespace?: string | undefined;
}

export interface SecretVolumeSource {
  secretName?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
  defaultUser?: number | undefined;
}

export interface SecurityContext {
  capabilities?: Capabilities | undefined;
  privileged?: boolean | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  runAsUser?: number | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  readOnlyRootFilesystem?: boolean | undefined;
  allowPrivilegeEscalation?: boolean | undefined;
  procMount?: "Default" | "Unmasked" | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
}

export interface SerializedReference {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  reference: ObjectReference;
}

export interface Service {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ServiceSpec;
  status: ServiceStatus;
}

export interface ServiceAccount {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  secrets?: ObjectReference[] | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  automountServiceAccountToken?: boolean | undefined;
}

export interface ServiceAccountList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ServiceAccount[];
}

export interface ServiceAccountTokenProjection {
  audience?: string | undefined;
  expirationSeconds?: number | undefined;
  path: string;
  user?: number | undefined;
}

export interface ServiceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Service[];
}

export interface ServicePort {
  name?: string | undefined;
  protocol?: "SCTP" | "TCP" | "UDP" | undefined;
  appProtocol?: string | undefined;
  port: number;
  targetPort?: IntOrString | undefined;
  nodePort?: number | undefined;
}

export interface ServiceProxyOptions {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  path?: string | undefined;
}

export interface ServiceSpec {
  ports?: ServicePort[] | undefined;
  selector?: { [key: string]: string } | undefined;
  clusterIP?: string | undefined;
  clusterIPs?: string[] | undefined;
  type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort" | undefined;
  externalIPs?: string[] | undefined;
  sessionAffinity?: "ClientIP" | "None" | undefined;
  loadBalancerIP?: string | undefined;
  loadBalancerSourceRanges?: string[] | undefined;
  externalName?: string | undefined;
  externalTrafficPolicy?: "Cluster" | "Local" | undefined;
  healthCheckNodePort?: number | undefined;
  publishNotReadyAddresses?: boolean | undefined;
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  ipFamilies?: ("" | "IPv4" | "IPv6")[] | undefined;
  ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack" | undefined;
  allocateLoadBalancerNodePorts?: boolean | undefined;
  loadBalancerClass?: string | undefined;
  internalTrafficPolicy?: "Cluster" | "Local" | undefined;
  trafficDistribution?: string | undefined;
}

export interface ServiceStatus {
  loadBalancer: LoadBalancerStatus;
  conditions?: Condition[] | undefined;
}

export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig | undefined;
}

export interface SleepAction {
  seconds: number;
}

export interface StorageOSPersistentVolumeSource {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: ObjectReference | undefined;
}

export interface StorageOSVolumeSource {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
}

export interface Sysctl {
  name: string;
  value: string;
}

export interface TCPSocketAction {
  port: IntOrString;
  host?: string | undefined;
}

export interface Taint {
  key: string;
  value?: string | undefined;
  effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  timeAdded?: Time | undefined;
}

export interface Toleration {
  key?: string | undefined;
  operator?: "Equal" | "Exists" | "Gt" | "Lt" | undefined;
  value?: string | undefined;
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule" | undefined;
  tolerationSeconds?: number | undefined;
}

export interface TopologySelectorLabelRequirement {
  key: string;
  values: string[];
}

export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
  labelSelector?: LabelSelector | undefined;
  minDomains?: number | undefined;
  nodeAffinityPolicy?: "Honor" | "Ignore" | undefined;
  nodeTaintsPolicy?: "Honor" | "Ignore" | undefined;
  matchLabelKeys?: string[] | undefined;
}

export interface TypedLocalObjectReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
}

export interface TypedObjectReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

export interface Volume {
  name: string;
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
}

export interface VolumeDevice {
  name: string;
  devicePath: string;
}

export interface VolumeHealthCondition {
  status: "DataLoss" | "Degraded" | "Inaccessible";
  reason: string;
  message?: string | undefined;
}

export interface VolumeHealthStatus {
  healthConditions?: VolumeHealthCondition[] | undefined;
  lastTransitionTime?: Time | undefined;
}

export interface VolumeMount {
  name: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  mountPath: string;
  subPath?: string | undefined;
  mountPropagation?: "Bidirectional" | "HostToContainer" | "None" | undefined;
  subPathExpr?: string | undefined;
  bindMountOptions?: string[] | undefined;
}

export interface VolumeMountStatus {
  name: string;
  mountPath: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  volumeStatus?: VolumeStatus | undefined;
}

export interface VolumeNodeAffinity {
  required?: NodeSelector | undefined;
}

export interface VolumeProjection {
  secret?: SecretProjection | undefined;
  downwardAPI?: DownwardAPIProjection | undefined;
  configMap?: ConfigMapProjection | undefined;
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  podCertificate?: PodCertificateProjection | undefined;
}

export interface VolumeResourceRequirements {
  limits?: { [key: string]: Quantity } | undefined;
  requests?: { [key: string]: Quantity } | undefined;
}

export interface VolumeSource {
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
}

export interface VolumeStatus {
  image?: ImageVolumeStatus | undefined;
}

export interface VsphereVirtualDiskVolumeSource {
  volumePath: string;
  fsType?: string | undefined;
  storagePolicyName?: string | undefined;
  storagePolicyID?: string | undefined;
}

export interface WeightedPodAffinityTerm {
  weight: number;
  podAffinityTerm: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  gmsaCredentialSpecName?: string | undefined;
  gmsaCredentialSpec?: string | undefined;
  runAsUserName?: string | undefined;
  hostProcess?: boolean | undefined;
}
