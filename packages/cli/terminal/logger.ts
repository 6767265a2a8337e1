import type { LogFields, Logger } from '@kubernode/machinery';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Lines such as `2026-01-01T00:00:00.000Z INFO  kubelet: node registered name=n1`, for people and for grep. */
export function createLogger(level: LogLevel, write: (line: string) => void, component = ''): Logger {
  const least = levels.indexOf(level);
  const log = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
    if (levels.indexOf(lineLevel) < least) return;
    const prefix = component ? `${component}: ` : '';
    write(`${new Date().toISOString()} ${lineLevel.toUpperCase().padEnd(5)} ${prefix}${message}${textOf(fields)}\n`);
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (name) => createLogger(level, write, component ? `${component}/${name}` : name),
  };
}

function textOf(fields: LogFields = {}): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${quoted(value)}`)
    .join('');
}

function quoted(value: unknown): string {
  const text = value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/@-]+$/.test(text) ? text : JSON.stringify(text);
}
