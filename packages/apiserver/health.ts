/** What must be in order for the server to serve; each check has a name, as /readyz?verbose shows it. */
export interface Health {
  readonly checks: Map<string, () => boolean>;
}

export const createHealth = (): Health => ({ checks: new Map([['ping', () => true]]) });
