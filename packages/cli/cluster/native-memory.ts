import type { Clock } from '@kubernode/machinery';

/** How often is looked. */
const intervalMs = 500;
/** Of how much more or less is trimmed at once. */
const changeBytesMin = 8 * 1024 * 1024;
/** Looks without a trim, at most. */
const skippedMax = 120;

/** The process as the system sees it, and the C library's way to give back what is free. */
export interface NativeMemory {
  residentBytes(): number;
  trim(): void;
}

/**
 * Gives memory back to the system that native code freed: what ended connections had, for one, of 100 KB each. The C
 * library by itself gives back only what lies above everything that still lives, and does not tell what is free. So it is
 * asked whenever the process has grown or shrunk, and again soon afterwards, for what was in use then; less and less often
 * where that changes nothing, for it takes a millisecond for each few megabytes. Answers the way to stop.
 */
export function releaseNativeMemory(clock: Clock, memory: NativeMemory | undefined = ownNativeMemory()): () => void {
  if (!memory) return () => {};
  let before = memory.residentBytes();
  let skipped = 0;
  let toSkip = 0;
  let cancel = clock.after(intervalMs, look);
  function look(): void {
    cancel = clock.after(intervalMs, look);
    if (!isFar(memory!.residentBytes(), before) && skipped < toSkip) {
      skipped += 1;
      return;
    }
    memory!.trim();
    const after = memory!.residentBytes();
    toSkip = isFar(after, before) ? 0 : Math.min(toSkip * 2 + 1, skippedMax);
    skipped = 0;
    before = after;
  }
  return () => cancel();
}

const isFar = (a: number, b: number): boolean => Math.abs(a - b) >= changeBytesMin;

/** Needs `--experimental-ffi` and glibc; undefined without them. */
function ownNativeMemory(): NativeMemory | undefined {
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi');
    const { functions } = dlopen('libc.so.6', { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    return { residentBytes: () => process.memoryUsage.rss(), trim: () => void functions.malloc_trim(0n) };
  } catch {
    return undefined;
  }
}
