/** A failure that a person can do something about: what happened, why, and what to do. Printed without a stack. */
export class UserError extends Error {
  /** The command or change that helps. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
    this.remedy = remedy;
  }
}

/** What is printed of an error. */
export function describeError(error: unknown): string {
  if (error instanceof UserError && error.remedy) return `${error.message}\n${error.remedy}`;
  return error instanceof Error ? error.message : String(error);
}
