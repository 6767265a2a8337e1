import type { Client, ServiceError } from '@grpc/grpc-js';

export interface UnaryClientOptions {
  /** A unix socket: `unix:///path`, or its path alone. */
  readonly endpoint: string;
  /** `v2.KeyManagementService` */
  readonly service: string;
  readonly timeoutMs: number;
}

/** Calls a gRPC service of another program on this machine. Connects with the first call. */
export class UnaryClient {
  readonly #options: UnaryClientOptions;
  #client: Promise<Client> | undefined;

  constructor(options: UnaryClientOptions) {
    this.#options = options;
  }

  /** Rejects in the words of Go's client: `rpc error: code = 14 desc = …`. */
  async call(method: string, request: Buffer): Promise<Buffer> {
    const { endpoint, service, timeoutMs } = this.#options;
    const client = await (this.#client ??= connect(endpoint));
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer) => {
        if (error) reject(new Error(`rpc error: code = ${error.code} desc = ${error.details}`));
        else resolve(answer ?? Buffer.alloc(0));
      };
      // Deadlines of gRPC are moments of the machine's own clock.
      const deadline = new Date(Date.now() + timeoutMs);
      client.makeUnaryRequest(`/${service}/${method}`, same, same, request, { deadline }, done);
    });
  }

  close(): void {
    void this.#client?.then((client) => client.close());
  }
}

const same = (bytes: Buffer): Buffer => bytes;

async function connect(endpoint: string): Promise<Client> {
  // Loaded only where there is such a program.
  const { Client: GrpcClient, credentials } = await import('@grpc/grpc-js');
  const target = `unix:${endpoint.replace(/^unix:(\/\/)?/, '')}`;
  return new GrpcClient(target, credentials.createInsecure(), { 'grpc.default_authority': 'localhost' });
}
