import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { UserError } from '../terminal/user-error.ts';
import type { DataDir } from './data-dir.ts';

/** What a starting server tells the process that started it. */
export type DaemonMessage =
  | { readonly type: 'step'; readonly title: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string; readonly remedy?: string | undefined };

/** A start that says nothing for this long is taken for lost. */
const silenceMsMax = 60_000;

/**
 * Starts `kubernode server` in the background and resolves when it is ready; steps are told as they come. Throws
 * UserError with the step that failed and why, after the server has taken back what it made.
 */
export function startDaemon(
  dataDir: DataDir,
  args: readonly string[],
  onStep: (title: string) => void,
): Promise<number> {
  const log = openSync(dataDir.logFile, 'a', 0o644);
  // The program that runs here: the sources, or the bundle of them.
  const [node, main] = process.argv as [string, string];
  const child = spawn(node, [...process.execArgv, main, 'server', ...args], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log, 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let timer = setTimeout(giveUp, silenceMsMax);
    /** What the server said; it has taken all back then, and only has to end. */
    let failure: UserError | undefined;
    function settle(finish: () => void): void {
      clearTimeout(timer);
      child.removeAllListeners();
      if (child.connected) child.disconnect();
      child.unref();
      finish();
    }
    function giveUp(): void {
      child.kill('SIGTERM');
      settle(() =>
        reject(failure ?? new UserError(`The server said nothing for ${silenceMsMax / 1000} s.`, tail(dataDir))),
      );
    }
    child.on('message', (message: DaemonMessage) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, silenceMsMax);
      if (message.type === 'step') onStep(message.title);
      else if (message.type === 'ready') settle(() => resolve(child.pid ?? 0));
      else failure = new UserError(message.message, message.remedy ?? `More is in ${dataDir.logFile}`);
    });
    child.on('error', (error) => settle(() => reject(new UserError(`Cannot start the server: ${error.message}`))));
    child.on('exit', (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      settle(() => reject(failure ?? new UserError(`The server ended while it started (${how}).`, tail(dataDir))));
    });
  });
}

/** In the background server: tells the process that started it. Does nothing in the foreground. */
export function report(message: DaemonMessage): void {
  if (process.connected) process.send?.(message);
  if (message.type !== 'step' && process.connected) process.disconnect?.();
}

/** The end of the log, for a person to look at. */
function tail(dataDir: DataDir): string {
  const lines = readFileSync(dataDir.logFile, 'utf8').trimEnd().split('\n').slice(-15);
  return `The last lines of ${dataDir.logFile}:\n${lines.join('\n')}`;
}
