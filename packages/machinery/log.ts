/** Structured logging is handed in, too; fields are plain values, the message a sentence without a full stop. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines carry `component`. */
  child(component: string): Logger;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
