import type { CriEnum, CriMessage } from './types.ts';

/** Short names for the messages that are spoken of most; every other is `CriMessage<'Name'>`. */
export type AuthConfig = CriMessage<'AuthConfig'>;
export type Capability = CriMessage<'Capability'>;
export type Container = CriMessage<'Container'>;
export type ContainerConfig = CriMessage<'ContainerConfig'>;
export type ContainerEventResponse = CriMessage<'ContainerEventResponse'>;
export type ContainerFilter = CriMessage<'ContainerFilter'>;
export type ContainerState = CriEnum<'ContainerState'>;
export type ContainerStats = CriMessage<'ContainerStats'>;
export type ContainerStatus = CriMessage<'ContainerStatus'>;
export type Image = CriMessage<'Image'>;
export type ImageSpec = CriMessage<'ImageSpec'>;
export type LinuxContainerResources = CriMessage<'LinuxContainerResources'>;
export type LinuxContainerSecurityContext = CriMessage<'LinuxContainerSecurityContext'>;
export type LinuxPodSandboxConfig = CriMessage<'LinuxPodSandboxConfig'>;
export type Mount = CriMessage<'Mount'>;
export type NamespaceOption = CriMessage<'NamespaceOption'>;
export type PodSandbox = CriMessage<'PodSandbox'>;
export type PodSandboxConfig = CriMessage<'PodSandboxConfig'>;
export type PodSandboxFilter = CriMessage<'PodSandboxFilter'>;
export type PodSandboxMetadata = CriMessage<'PodSandboxMetadata'>;
export type PodSandboxStats = CriMessage<'PodSandboxStats'>;
export type PodSandboxStatus = CriMessage<'PodSandboxStatus'>;
export type PortMapping = CriMessage<'PortMapping'>;
