import type { Attributes } from '../seams.ts';

const subresources: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request is a stream that lasts as long as it likes: not timed out, and not counted as in flight. */
export function isLongRunning({ verb, subresource, path }: Attributes): boolean {
  return verb === 'watch' || verb === 'proxy' || subresources.has(subresource) || path.startsWith('/debug/pprof/');
}
