import { Writable } from 'node:stream';
import { CriError } from '@kubernode/api/cri';
import type { Clock } from '@kubernode/machinery';
import { execInContainer } from './exec.ts';
import type { OciRuntime } from './oci-runtime.ts';

/** What CRI lets a command answer at most on each stream. */
const outputBytesMax = 16 * 1024 * 1024;

/** Runs a command to its end and collects what it says. Throws DeadlineExceeded after `timeoutMs` (0: no limit). */
export async function execSync(options: {
  readonly oci: OciRuntime;
  readonly containerId: string;
  readonly bundle: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}): Promise<{ stdout: Buffer; stderr: Buffer; exitCode: number }> {
  const stdout = new Collector();
  const stderr = new Collector();
  const late = new AbortController();
  const cancel = options.timeoutMs > 0 ? options.clock.after(options.timeoutMs, () => late.abort()) : () => {};
  try {
    const exitCode = await execInContainer({
      ...options,
      tty: false,
      streams: { stdout, stderr },
      signal: options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal,
    });
    if (late.signal.aborted) {
      const message = `failed to exec in container: timeout ${options.timeoutMs / 1000}s exceeded: context deadline exceeded`;
      throw new CriError('DeadlineExceeded', message);
    }
    if (options.signal?.aborted) throw new CriError('Canceled', 'exec in container: the call was cancelled');
    return { stdout: stdout.bytes(), stderr: stderr.bytes(), exitCode };
  } finally {
    cancel();
  }
}

class Collector extends Writable {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#length < outputBytesMax) this.#chunks.push(chunk.subarray(0, outputBytesMax - this.#length));
    this.#length += chunk.length;
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
