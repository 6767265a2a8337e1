import type { CriInit, CriMessage, MessageName } from './types.ts';

interface MethodFact<Request extends MessageName, Response extends MessageName, Stream extends boolean> {
  readonly service: 'runtime.v1.RuntimeService' | 'runtime.v1.ImageService';
  /** gRPC's name: the path is `/<service>/<method>`. */
  readonly method: string;
  readonly request: Request;
  readonly response: Response;
  /** The server answers with a stream of responses. */
  readonly stream: Stream;
}

function runtime<Request extends MessageName, Response extends MessageName>(
  method: string,
  request: Request,
  response: Response,
): MethodFact<Request, Response, false> {
  return { service: 'runtime.v1.RuntimeService', method, request, response, stream: false };
}

function image<Request extends MessageName, Response extends MessageName>(
  method: string,
  request: Request,
  response: Response,
): MethodFact<Request, Response, false> {
  return { service: 'runtime.v1.ImageService', method, request, response, stream: false };
}

function runtimeStream<Request extends MessageName, Response extends MessageName>(
  method: string,
  request: Request,
  response: Response,
): MethodFact<Request, Response, true> {
  return { service: 'runtime.v1.RuntimeService', method, request, response, stream: true };
}

/** The calls of CRI v1 that this project makes and serves, by the name they have in `Cri`. */
export const criMethods = {
  version: runtime('Version', 'VersionRequest', 'VersionResponse'),
  runPodSandbox: runtime('RunPodSandbox', 'RunPodSandboxRequest', 'RunPodSandboxResponse'),
  stopPodSandbox: runtime('StopPodSandbox', 'StopPodSandboxRequest', 'StopPodSandboxResponse'),
  removePodSandbox: runtime('RemovePodSandbox', 'RemovePodSandboxRequest', 'RemovePodSandboxResponse'),
  podSandboxStatus: runtime('PodSandboxStatus', 'PodSandboxStatusRequest', 'PodSandboxStatusResponse'),
  listPodSandbox: runtime('ListPodSandbox', 'ListPodSandboxRequest', 'ListPodSandboxResponse'),
  createContainer: runtime('CreateContainer', 'CreateContainerRequest', 'CreateContainerResponse'),
  startContainer: runtime('StartContainer', 'StartContainerRequest', 'StartContainerResponse'),
  stopContainer: runtime('StopContainer', 'StopContainerRequest', 'StopContainerResponse'),
  removeContainer: runtime('RemoveContainer', 'RemoveContainerRequest', 'RemoveContainerResponse'),
  listContainers: runtime('ListContainers', 'ListContainersRequest', 'ListContainersResponse'),
  containerStatus: runtime('ContainerStatus', 'ContainerStatusRequest', 'ContainerStatusResponse'),
  updateContainerResources: runtime(
    'UpdateContainerResources',
    'UpdateContainerResourcesRequest',
    'UpdateContainerResourcesResponse',
  ),
  reopenContainerLog: runtime('ReopenContainerLog', 'ReopenContainerLogRequest', 'ReopenContainerLogResponse'),
  execSync: runtime('ExecSync', 'ExecSyncRequest', 'ExecSyncResponse'),
  exec: runtime('Exec', 'ExecRequest', 'ExecResponse'),
  attach: runtime('Attach', 'AttachRequest', 'AttachResponse'),
  portForward: runtime('PortForward', 'PortForwardRequest', 'PortForwardResponse'),
  containerStats: runtime('ContainerStats', 'ContainerStatsRequest', 'ContainerStatsResponse'),
  listContainerStats: runtime('ListContainerStats', 'ListContainerStatsRequest', 'ListContainerStatsResponse'),
  podSandboxStats: runtime('PodSandboxStats', 'PodSandboxStatsRequest', 'PodSandboxStatsResponse'),
  listPodSandboxStats: runtime('ListPodSandboxStats', 'ListPodSandboxStatsRequest', 'ListPodSandboxStatsResponse'),
  updateRuntimeConfig: runtime('UpdateRuntimeConfig', 'UpdateRuntimeConfigRequest', 'UpdateRuntimeConfigResponse'),
  status: runtime('Status', 'StatusRequest', 'StatusResponse'),
  getContainerEvents: runtimeStream('GetContainerEvents', 'GetEventsRequest', 'ContainerEventResponse'),
  runtimeConfig: runtime('RuntimeConfig', 'RuntimeConfigRequest', 'RuntimeConfigResponse'),
  updatePodSandboxResources: runtime(
    'UpdatePodSandboxResources',
    'UpdatePodSandboxResourcesRequest',
    'UpdatePodSandboxResourcesResponse',
  ),
  listImages: image('ListImages', 'ListImagesRequest', 'ListImagesResponse'),
  imageStatus: image('ImageStatus', 'ImageStatusRequest', 'ImageStatusResponse'),
  pullImage: image('PullImage', 'PullImageRequest', 'PullImageResponse'),
  removeImage: image('RemoveImage', 'RemoveImageRequest', 'RemoveImageResponse'),
  imageFsInfo: image('ImageFsInfo', 'ImageFsInfoRequest', 'ImageFsInfoResponse'),
} as const;

type Methods = typeof criMethods;
export type CriMethodName = keyof Methods;

export interface CriCallOptions {
  /** Ends the call; the promise rejects with `CriError` `Canceled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A container runtime, as the kubelet knows it. Requests may leave fields out; responses are complete (see `CriMessage`).
 * Every failure is a `CriError`.
 */
export type Cri = {
  readonly [Name in CriMethodName]: (
    request: CriInit<Methods[Name]['request']>,
    options?: CriCallOptions,
  ) => Methods[Name]['stream'] extends true
    ? AsyncIterable<CriMessage<Methods[Name]['response']>>
    : Promise<CriMessage<Methods[Name]['response']>>;
};

/** The other side: requests are complete, responses may leave fields out. `completeCri` makes a `Cri` of it. */
export type CriImplementation = {
  readonly [Name in CriMethodName]: (
    request: CriMessage<Methods[Name]['request']>,
    options?: CriCallOptions,
  ) => Methods[Name]['stream'] extends true
    ? AsyncIterable<CriInit<Methods[Name]['response']>>
    : Promise<CriInit<Methods[Name]['response']>>;
};
