/** How often is looked. */
const intervalMs = 2_000;
/** As long as less has come or gone since the last time, there is not much to find. */
const changeBytesMin = 8 * 1024 * 1024;

/**
 * Gives memory back to the system that native code freed: what ended connections had, for one, of 60 KB each. The C
 * library by itself gives back only what lies above everything that still lives. Asking it takes a millisecond for each
 * few megabytes. Needs `--experimental-ffi` and glibc; without them nothing happens. Answers the way to stop.
 */
export function releaseNativeMemory(): () => void {
  const trim = findTrim();
  if (!trim) return () => {};
  let trimmed = process.memoryUsage.rss();
  const timer = setInterval(() => {
    if (Math.abs(process.memoryUsage.rss() - trimmed) < changeBytesMin) return;
    trim(0n);
    trimmed = process.memoryUsage.rss();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** `malloc_trim`, which is told how much to leave. */
function findTrim(): ((leftBytes: bigint) => unknown) | undefined {
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi');
    return dlopen('libc.so.6', { malloc_trim: { arguments: ['u64'], return: 'i32' } }).functions.malloc_trim;
  } catch {
    return undefined;
  }
}
