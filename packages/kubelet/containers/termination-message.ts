import { open, stat } from 'node:fs/promises';
import type { RuntimeContainer } from '../pod-lifecycle/runtime-pod.ts';

const messageBytesMax = 4096;
const fallbackBytesMax = 2048;
const fallbackLinesMax = 80;

/**
 * What a container left as its last words: the file at terminationMessagePath, or the end of its log after a failure
 * where the policy is FallbackToLogsOnError; what the runtime has to say comes first where there is neither.
 */
export async function terminationMessage(
  container: RuntimeContainer,
  hostPath: string,
  policy: string | undefined,
): Promise<string> {
  const own = await readEnd(hostPath, messageBytesMax);
  if (own !== '') return joined(container.message, own);
  if (policy !== 'FallbackToLogsOnError' || container.exitCode === 0) return container.message;
  const log = await readEnd(container.logPath, 64 * 1024);
  const lines = log.split('\n').slice(0, -1).map(logText);
  const text = lines.slice(-fallbackLinesMax).join('');
  return joined(container.message, Buffer.from(text).subarray(-fallbackBytesMax).toString('utf8'));
}

const joined = (first: string, second: string) => (first && second ? `${first}: ${second}` : first || second);

/** `2026-01-01T00:00:00Z stdout F text` → text and its line break, which a part of a line (P) has not. */
function logText(line: string): string {
  const [, , tag, ...text] = line.split(' ');
  return `${text.join(' ')}${tag === 'P' ? '' : '\n'}`;
}

async function readEnd(path: string, bytesMax: number): Promise<string> {
  if (path === '') return '';
  try {
    const { size } = await stat(path);
    const file = await open(path, 'r');
    try {
      const length = Math.min(size, bytesMax);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead).toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
