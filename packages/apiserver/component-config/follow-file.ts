import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock, Logger } from '@kubernode/machinery';

/** The text is good, but what it names is not there: it may be later. */
export class NotYet extends Error {}

export interface FollowedFile {
  readonly path: string;
  readonly text: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log?: Logger | undefined;
  /** Takes over the new text. What it throws is told, and the old text stays in force; `NotYet` is tried again. */
  readonly onChange: (text: string) => Promise<void> | void;
  /** Each attempt to take over a new text. */
  readonly onAttempt?: ((isGood: boolean) => void) | undefined;
}

/** Files are looked at again this often even where nothing tells of changes (mounted Secrets change by a link). */
const lookAgainMs = 60_000;
/** A change of a file comes as several events. */
const settleMs = 100;

/** Takes over a configuration file when it changes, until the signal aborts. */
export function followFile(file: FollowedFile): void {
  const { path, clock, signal } = file;
  let last = file.text;
  let isLooking = false;
  let isDirty = false;
  let cancel: (() => void) | undefined;
  const lookIn = (delayMs: number): void => {
    cancel?.();
    cancel = clock.after(delayMs, () => void look());
  };
  const look = async (): Promise<void> => {
    isLooking = true;
    isDirty = false;
    const before = last;
    try {
      const text = await readFile(path, 'utf8');
      // An empty file is being written.
      if (text !== last && text !== '' && !signal.aborted) {
        last = text;
        await file.onChange(text);
        file.onAttempt?.(true);
        file.log?.info('a configuration was read again', { path });
      }
    } catch (error) {
      if (error instanceof NotYet) last = before;
      file.onAttempt?.(false);
      file.log?.error('a changed configuration cannot be used, the old one stays', { path, error: String(error) });
    }
    isLooking = false;
    if (!signal.aborted) lookIn(isDirty ? settleMs : lookAgainMs);
  };
  const watcher = watch(dirname(path), { persistent: false }, () => {
    isDirty = true;
    if (!isLooking) lookIn(settleMs);
  });
  watcher.on('error', () => {});
  signal.addEventListener('abort', () => {
    cancel?.();
    watcher.close();
  });
  lookIn(lookAgainMs);
}
