/** Shorter answers are made in memory of their own. */
const bytesMin = 64 * 1024;
/** All that lie ready. */
const readyBytesMax = 8 * 1024 * 1024;

/**
 * Memory for long answers, lent from one to the next: fresh pages cost more than filling them, and memory outside of the
 * heap makes V8 collect it.
 */
export class LentBuffers {
  #ready: Buffer[] = [];
  #readyBytes = 0;

  /** With whatever was in it. */
  take(length: number): Buffer {
    if (length < bytesMin) return Buffer.allocUnsafe(length);
    const index = this.#ready.findIndex((buffer) => buffer.length >= length);
    const [buffer] = index < 0 ? [] : this.#ready.splice(index, 1);
    if (buffer) this.#readyBytes -= buffer.length;
    // A power of two serves answers of about the same length, too.
    return (buffer ?? Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)))).subarray(0, length);
  }

  /** Only once nobody reads it any more. One that is not given back is collected as any other. */
  giveBack(taken: Buffer): void {
    if (taken.length < bytesMin || this.#readyBytes + taken.buffer.byteLength > readyBytesMax) return;
    const whole = Buffer.from(taken.buffer as ArrayBuffer);
    this.#ready.push(whole);
    this.#readyBytes += whole.length;
  }
}
