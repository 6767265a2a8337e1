export { completeCri, completeMessage } from './complete.ts';
export { decodeMessage, encodeMessage } from './codec.ts';
export { CriError, type CriErrorCode, criErrorCodes } from './error.ts';
export { type Cri, type CriCallOptions, type CriImplementation, type CriMethodName, criMethods } from './methods.ts';
export type { CriEnum, CriInit, CriMessage, MessageName } from './types.ts';
export type {
  Capability,
  Container,
  ContainerConfig,
  ContainerEventResponse,
  ContainerFilter,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  Image,
  ImageSpec,
  LinuxContainerResources,
  LinuxContainerSecurityContext,
  LinuxPodSandboxConfig,
  Mount,
  NamespaceOption,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxMetadata,
  PodSandboxStats,
  PodSandboxStatus,
  PortMapping,
  AuthConfig,
} from './names.ts';
export type { PodAttachment, PodNetwork, PodPortMapping } from './pod-network.ts';
