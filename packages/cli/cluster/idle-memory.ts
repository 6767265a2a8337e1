import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often is looked. */
const intervalMs = 10_000;
/** Busier than this share of a core, the process is left alone. */
const quietShareMax = 0.05;
/** Less than this is not worth a collection. */
const growthBytesMin = 16 * 1024 * 1024;
/** Beyond, the pause of a collection would be felt. */
const heapBytesMax = 256 * 1024 * 1024;

/**
 * Gives memory back to the system once a load is over: V8 keeps its heap as large as the load made it, as long as nothing
 * happens. Looks only while the process lives for other reasons; answers the way to stop.
 */
export function releaseIdleMemory(): () => void {
  let released = process.memoryUsage.rss() - growthBytesMin;
  let before = process.cpuUsage();
  let collect: Collect | undefined;
  const timer = setInterval(() => {
    const used = process.cpuUsage(before);
    before = process.cpuUsage();
    const isQuiet = used.user + used.system < intervalMs * 1000 * quietShareMax;
    if (!isQuiet || process.memoryUsage.rss() - released < growthBytesMin) return;
    if (process.memoryUsage().heapUsed > heapBytesMax) return;
    collect ??= collector();
    collect({ type: 'major', flavor: 'last-resort' });
    released = process.memoryUsage.rss();
    // The collection itself is not counted as work.
    before = process.cpuUsage();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/** V8's own function, which programs are given only when they ask for it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
