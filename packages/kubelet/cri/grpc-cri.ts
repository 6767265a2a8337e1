import { CriError, criErrorCodes, criMethods, decodeMessage, encodeMessage, type Cri } from '@kubernode/api/cri';
import type { Client, ClientReadableStream } from '@grpc/grpc-js';

/** Calls that the runtime may take its time for have no deadline; all others are over after this. */
const deadlineMsDefault = 120_000;
const unbounded: ReadonlySet<string> = new Set(['pullImage', 'stopContainer', 'execSync', 'runPodSandbox']);

type Call = { readonly signal?: AbortSignal | undefined };

/** A CRI runtime behind a unix socket: containerd, CRI-O. The gRPC library is loaded with the first call. */
export function grpcCri(socketPath: string): Cri & { close(): Promise<void> } {
  let connected: Promise<Client> | undefined;
  const client = () => (connected ??= connect(socketPath));
  const cri: Record<string, unknown> = {};
  for (const [name, fact] of Object.entries(criMethods)) {
    const path = `/${fact.service}/${fact.method}`;
    const encode = (request: object) => encodeMessage(fact.request, request);
    const decode = (bytes: Buffer): object => decodeMessage(fact.response, bytes);
    cri[name] = fact.stream
      ? (request: object, { signal }: Call = {}) => follow(client, path, encode, decode, request, signal)
      : (request: object, { signal }: Call = {}) =>
          unary(client, path, encode, decode, request, unbounded.has(name) ? undefined : deadlineMsDefault, signal);
  }
  const close = async () => (await connected?.catch(() => undefined))?.close();
  return { ...(cri as Cri), close };
}

async function connect(socketPath: string): Promise<Client> {
  const grpc = await import('@grpc/grpc-js');
  return new grpc.Client(`unix://${socketPath}`, grpc.credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
    'grpc.max_reconnect_backoff_ms': 3_000,
  });
}

async function unary(
  client: () => Promise<Client>,
  path: string,
  encode: (request: object) => Buffer,
  decode: (bytes: Buffer) => object,
  request: object,
  timeoutMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { Metadata } = await import('@grpc/grpc-js');
  const connection = await client();
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new CriError('Canceled', 'the call was cancelled'));
    const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
    const call = connection.makeUnaryRequest(
      path,
      encode,
      decode,
      request,
      new Metadata(),
      options,
      (error, answer) => {
        signal?.removeEventListener('abort', cancel);
        if (error || !answer) reject(criError(error));
        else resolve(answer);
      },
    );
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

async function* follow(
  client: () => Promise<Client>,
  path: string,
  encode: (request: object) => Buffer,
  decode: (bytes: Buffer) => object,
  request: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<object> {
  const { Metadata } = await import('@grpc/grpc-js');
  const connection = await client();
  const stream: ClientReadableStream<object> = connection.makeServerStreamRequest(
    path,
    encode,
    decode,
    request,
    new Metadata(),
    {},
  );
  const cancel = () => stream.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of stream) yield message as object;
  } catch (error) {
    throw criError(error);
  } finally {
    signal?.removeEventListener('abort', cancel);
    stream.cancel();
  }
}

function criError(error: unknown): CriError {
  const { code, details } = (error ?? {}) as { code?: number; details?: string };
  const name = code === undefined ? undefined : criErrorCodes[code];
  const message = details || (error instanceof Error ? error.message : 'no answer');
  return new CriError(name ?? 'Unknown', message, { cause: error });
}
