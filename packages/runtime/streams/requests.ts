import type { Duplex, Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../containers/exec.ts';

/** What a one-time URL stands for. */
export type StreamRequest = CommandRequest | PortForwardRequest;

export interface CommandRequest {
  readonly kind: 'exec' | 'attach';
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Answers the exit code; 0 at the end of an attachment. */
  run(streams: RemoteStreams, signal: AbortSignal): Promise<number>;
  /** How the error says what was run. */
  readonly description: string;
}

export interface PortForwardRequest {
  readonly kind: 'portforward';
  /** Those named when the URL was asked for; none means that the client names them. */
  readonly ports: readonly number[];
  /** A connection to a port of the pod. Rejects where nobody listens. */
  connect(port: number): Promise<Duplex>;
}

export interface RemoteStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  onResize(listener: (size: TerminalSize) => void): void;
}

/** The client's end of a command: its streams, and where the outcome goes. */
export interface RemoteClient {
  readonly streams: RemoteStreams;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Sends the outcome (a meta/v1 Status as JSON) after all output, and closes. */
  finish(status: object): Promise<void>;
}

/** Runs the command for the client and sends the outcome as the kubelet words it. */
export async function serveCommand(request: CommandRequest, client: RemoteClient): Promise<void> {
  let status: object;
  try {
    const code = await request.run(client.streams, client.signal);
    status = code === 0 ? { metadata: {}, status: 'Success' } : exitStatus(request, code);
  } catch (error) {
    const verb = request.kind === 'exec' ? 'executing command in' : 'attaching to';
    status = internalError(`error ${verb} container: ${(error as Error).message}`);
  }
  await client.finish(status);
}

/** Clients read the exit code from the cause. */
function exitStatus(request: CommandRequest, code: number): object {
  const detail = `error executing command ${request.description}, exit code ${code}`;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${detail}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

function internalError(message: string): object {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}

/** A terminal's new size as clients write it: `{"Width":80,"Height":24}`; undefined for anything else. */
export function parseTerminalSize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    if (typeof Width !== 'number' || typeof Height !== 'number') return undefined;
    return { width: Width, height: Height };
  } catch {
    return undefined;
  }
}
