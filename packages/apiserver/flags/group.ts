import { readFileSync } from 'node:fs';
import { fileText } from '../component-config/live-text.ts';
import type { ApiServerOptions } from '../options.ts';
import type { WithSecurityOptions } from '../with-security.ts';
import type { Flag } from './flag.ts';

/** What flags decide of a server; the rest comes from whoever starts it. */
export interface FlagOptions {
  readonly server?: Partial<ApiServerOptions>;
  readonly security?: Partial<WithSecurityOptions>;
}

/** The flags of one room of the API server, and what they become. */
export interface FlagGroup {
  readonly title: string;
  /** By name, without dashes. */
  readonly flags: Readonly<Record<string, Flag<unknown>>>;
  /** Throws FlagError. */
  readonly toOptions: (given: GivenFlags) => FlagOptions;
}

/** What the command line said, by the flags' names; values in their order. */
export type GivenFlags = ReadonlyMap<string, readonly string[]>;

type ValuesOf<Flags> = { readonly [Name in keyof Flags]: Flags[Name] extends Flag<infer T> ? T : never };

/** A flag that cannot be used; the message names it. */
export class FlagError extends Error {
  constructor(flag: string, error: unknown) {
    super(`--${flag}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    this.name = 'FlagError';
  }
}

/** Describes a room's flags; `toOptions` gets their values by name. */
export function flagGroup<Flags extends Readonly<Record<string, Flag<unknown>>>>(group: {
  readonly title: string;
  readonly flags: Flags;
  readonly toOptions: (values: ValuesOf<Flags>) => FlagOptions;
}): FlagGroup {
  const valueOf = (name: string, given: GivenFlags): unknown => {
    try {
      return group.flags[name]!.read(given.get(name) ?? []);
    } catch (error) {
      throw new FlagError(name, error);
    }
  };
  return {
    ...group,
    toOptions(given) {
      const values = Object.keys(group.flags).map((name) => [name, valueOf(name, given)]);
      return group.toOptions(Object.fromEntries(values) as ValuesOf<Flags>);
    },
  };
}

/** The text of the file that a flag names; undefined where it names none. Throws FlagError. */
export function fileOf<Name extends string | undefined>(
  flag: string,
  name: Name,
): Name extends string ? string : string | undefined;
export function fileOf(flag: string, name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : readFileSync(name, 'utf8');
  } catch (error) {
    throw new FlagError(flag, `Cannot read ${JSON.stringify(name)}: ${(error as Error).message}`);
  }
}

/** As `fileOf`, of a file that is followed; `check` throws for a text that cannot be used. Throws FlagError. */
export function liveFileOf(flag: string, name: string | undefined, check: (text: string) => void) {
  if (fileOf(flag, name) === undefined) return undefined;
  return withFlag(flag, () => fileText(name!, check));
}

/** Tries what a flag says. Throws FlagError for what `read` throws. */
export function withFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FlagError ? error : new FlagError(flag, error);
  }
}
