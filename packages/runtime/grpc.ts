import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Cri, CriError, criErrorCodes, criMethods, decodeMessage, encodeMessage } from '@kubernode/api/cri';
import type { CriCallOptions, MessageName } from '@kubernode/api/cri';

type Values = Record<string, unknown>;
type Call = (request: Values, options?: CriCallOptions) => unknown;

/** Serves a runtime to other processes (a kubelet, crictl) by gRPC on a unix socket. Answers how to stop it. */
export async function serveCri(cri: Cri, socketPath: string): Promise<{ close(): Promise<void> }> {
  // gRPC takes memory that a cluster in one process need not spend.
  const { Server, ServerCredentials } = await import('@grpc/grpc-js');
  const server = new Server();
  for (const service of ['runtime.v1.RuntimeService', 'runtime.v1.ImageService']) {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const [name, fact] of Object.entries(criMethods)) {
      if (fact.service !== service) continue;
      definition[fact.method] = methodDefinition(fact);
      const call = cri[name as keyof Cri] as unknown as Call;
      handlers[fact.method] = fact.stream ? streaming(call) : unary(call);
    }
    server.addService(definition, handlers);
  }
  await mkdir(dirname(socketPath), { recursive: true });
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return {
    close: async () => {
      server.forceShutdown();
      await rm(socketPath, { force: true });
    },
  };
}

function methodDefinition(fact: (typeof criMethods)[keyof typeof criMethods]): ServiceDefinition[string] {
  const request: MessageName = fact.request;
  const response: MessageName = fact.response;
  return {
    path: `/${fact.service}/${fact.method}`,
    requestStream: false,
    responseStream: fact.stream,
    requestSerialize: (value: Values) => encodeMessage(request, value),
    requestDeserialize: (bytes: Buffer) => decodeMessage(request, bytes),
    responseSerialize: (value: Values) => encodeMessage(response, value),
    responseDeserialize: (bytes: Buffer) => decodeMessage(response, bytes),
  };
}

function unary(call: Call): handleUnaryCall<Values, Values> {
  return (request, callback) => {
    const ended = new AbortController();
    request.on('cancelled', () => ended.abort());
    (call(request.request, { signal: ended.signal }) as Promise<Values>).then(
      (value) => callback(null, value),
      (error: unknown) => callback(grpcError(error)),
    );
  };
}

function streaming(call: Call): handleServerStreamingCall<Values, Values> {
  return (request) => {
    const ended = new AbortController();
    request.on('cancelled', () => ended.abort());
    const send = async () => {
      for await (const item of call(request.request, { signal: ended.signal }) as AsyncIterable<Values>) {
        if (!request.write(item)) await new Promise((resolve) => request.once('drain', resolve));
      }
      request.end();
    };
    send().catch((error: unknown) => request.emit('error', grpcError(error)));
  };
}

function grpcError(error: unknown): { code: number; details: string; message: string; name: string } {
  const { code, message } = CriError.from(error);
  return { name: 'CriError', code: criErrorCodes.indexOf(code), details: message, message };
}
