import { channel } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import type { Logger } from '@kubernode/machinery';
import { createLogger, type LogLevel } from '../terminal/logger.ts';
import { describeError, UserError } from '../terminal/user-error.ts';
import { report } from './daemon.ts';
import type { DataDir } from './data-dir.ts';
import { growHeapSlowly } from './heap-growth.ts';
import { takeRole, type Role } from './lock.ts';
import { Parts } from './parts.ts';

export interface ForegroundOptions {
  readonly role: Role;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

export interface Foreground {
  readonly dataDir: DataDir;
  readonly parts: Parts;
  readonly log: Logger;
}

const stopMsMax = 10_000;
/** The second signal ends at once what does not stop by itself. */
const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Holds the role, starts the parts, says so to whoever waits, and runs until a signal; then stops all in reverse.
 * Throws UserError where the start fails, with nothing left behind.
 */
export async function runInForeground(
  options: ForegroundOptions,
  start: (foreground: Foreground) => Promise<void>,
): Promise<void> {
  const log = createLogger(options.logLevel, (line) => void process.stdout.write(line));
  const onStep = (title: string) => {
    log.info(title);
    report({ type: 'step', title });
  };
  const parts = new Parts({ log, onStep });
  const stopped = nextSignal();
  try {
    await Promise.race([startParts(options, { parts, log }, start), stopped.then(breakOff)]);
  } catch (error) {
    log.error('The start failed', { error: describeError(error) });
    await Promise.race([parts.takeBack(), lastResort(log)]);
    report({
      type: 'failed',
      message: error instanceof Error ? error.message : String(error),
      remedy: error instanceof UserError ? error.remedy : undefined,
    });
    throw error;
  }
  log.info('Ready');
  report({ type: 'ready' });
  // The next start takes over what this one compiled, even where this one is killed.
  flushCompileCache();
  channel('kubernode.ready').publish(undefined);
  growHeapSlowly();
  log.info('Stopping', { signal: await stopped });
  await Promise.race([parts.stop(), lastResort(log)]);
  // Whatever still holds the process (a socket of a client that does not close) must not keep it.
  process.exit(0);
}

async function startParts(
  { dataDir: path, role }: ForegroundOptions,
  { parts, log }: Omit<Foreground, 'dataDir'>,
  start: (foreground: Foreground) => Promise<void>,
): Promise<void> {
  const { openDataDir } = await import('./open-data-dir.ts');
  const dataDir = openDataDir(path);
  process.on('exit', await parts.step('Taking the data folder', () => takeRole(dataDir, role)));
  if (dataDir.isNew()) parts.afterFailure('the data folder', () => dataDir.clear());
  await start({ dataDir, parts, log });
}

function breakOff(signal: string): never {
  throw new UserError(`The start was broken off by ${signal}.`, 'Nothing was left behind: start again at any time.');
}

/** A part that does not end must not keep the machine: nothing that was acknowledged is lost with it. */
async function lastResort(log: Logger): Promise<void> {
  await new Promise((done) => setTimeout(done, stopMsMax).unref());
  log.warn('Some parts did not stop in time', { afterMs: stopMsMax });
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve(signal);
      });
    }
  });
}
