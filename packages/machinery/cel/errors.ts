/** An error of evaluating an expression: its message is upstream's, for clients see it in statuses. */
export class CelError extends Error {
  override readonly name: string = 'CelError';

  /** Without its stack, which would take most of an evaluation's time where each element of a list is an error. */
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The evaluation cost more than its limit: no `||` and no `&&` absorbs this one. */
export class CelCostError extends CelError {
  override readonly name = 'CelCostError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One problem of the text of an expression: what is wrong, and the offset where; -1 where it is all of it. */
export interface CelIssue {
  readonly message: string;
  readonly at: number;
}

/** An expression that does not parse or does not type-check, with all issues in upstream's layout. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
  readonly issues: readonly CelIssue[];

  constructor(source: string, issues: readonly CelIssue[]) {
    super(
      [...issues]
        .sort((a, b) => a.at - b.at)
        .map((issue) => formatIssue(source, issue))
        .join('\n'),
    );
    this.issues = issues;
  }
}

function formatIssue(source: string, issue: CelIssue): string {
  if (issue.at < 0) return `ERROR: <input>:-1:0: ${issue.message}`;
  const before = source.slice(0, issue.at);
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length;
  const text = source.split('\n')[line - 1] ?? '';
  const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`;
  return `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${'.'.repeat(column)}^`;
}

/** The error of a function or operator that has no overload for its arguments. */
export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

/** The error of a key or field that a map or object has not. */
export function noSuchKey(key: string): CelError {
  return new CelError(`no such key: ${key}`);
}
