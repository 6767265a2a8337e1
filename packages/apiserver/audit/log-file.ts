import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeFolderSync, type Clock } from '@kubernode/machinery';
import type { AuditSink } from './sink.ts';

export interface LogFileOptions {
  /** `-` is standard output. */
  readonly path: string;
  /** 0: backups are kept whatever their age. */
  readonly ageDaysMax: number;
  /** 0: all are kept. */
  readonly backupsMax: number;
  /** 0: 100. */
  readonly megabytesMax: number;
  readonly compress: boolean;
}

const standardOutput = 1;
const megabytesDefault = 100;
const dayMs = 24 * 60 * 60_000;

/**
 * Lines in a file that is renamed when it is full (`audit-2026-01-02T15-04-05.000.log`); old backups are deleted. Each
 * call is on its way to the disk when it returns. Throws where the file cannot be opened.
 */
export class LogFile implements AuditSink {
  readonly name = 'log';
  readonly #options: LogFileOptions;
  readonly #clock: Clock;
  #file: number;
  #bytes: number;

  constructor(options: LogFileOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#file = options.path === '-' ? standardOutput : this.#open();
    this.#bytes = options.path === '-' ? 0 : fstatSync(this.#file).size;
  }

  process(events: Parameters<AuditSink['process']>[0]): boolean {
    const lines = Buffer.from(events.map(({ text }) => `${text}\n`).join(''));
    if (this.#options.path !== '-') this.#rotateFor(lines.length);
    writeSync(this.#file, lines);
    this.#bytes += lines.length;
    return true;
  }

  async close(): Promise<void> {
    if (this.#file !== standardOutput) closeSync(this.#file);
  }

  #open(): number {
    makeFolderSync(dirname(this.#options.path), 0o777);
    return openSync(this.#options.path, 'a', 0o600);
  }

  #rotateFor(bytes: number): void {
    const bytesMax = (this.#options.megabytesMax || megabytesDefault) * 1024 * 1024;
    if (this.#bytes === 0 || this.#bytes + bytes <= bytesMax) return;
    closeSync(this.#file);
    const backup = this.#backupName();
    renameSync(this.#options.path, backup);
    if (this.#options.compress) {
      writeFileSync(`${backup}.gz`, gzipSync(readFileSync(backup)), { mode: 0o600 });
      rmSync(backup);
    }
    this.#file = this.#open();
    this.#bytes = 0;
    this.#deleteOld();
  }

  #backupName(): string {
    const { path } = this.#options;
    const extension = extname(path);
    const time = new Date(this.#clock.now()).toISOString().replaceAll(':', '-').replace('Z', '');
    return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
  }

  #deleteOld(): void {
    const { path, backupsMax, ageDaysMax } = this.#options;
    const extension = extname(path);
    const prefix = `${basename(path, extension)}-`;
    const backups = readdirSync(dirname(path))
      .filter((name) => name.startsWith(prefix) && (name.endsWith(extension) || name.endsWith(`${extension}.gz`)))
      .map((name) => ({ name, atMs: timeOf(name.slice(prefix.length)) }))
      .filter(({ atMs }) => !Number.isNaN(atMs))
      .sort((a, b) => b.atMs - a.atMs);
    const oldestMs = ageDaysMax > 0 ? this.#clock.now() - ageDaysMax * dayMs : -Infinity;
    backups.forEach(({ name, atMs }, index) => {
      const isTooMany = backupsMax > 0 && index >= backupsMax;
      if (isTooMany || atMs < oldestMs) rmSync(join(dirname(path), name), { force: true });
    });
  }
}

function timeOf(text: string): number {
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-([\d.]{6})/.exec(text) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
}
