import { parseDuration } from '@kubernode/machinery';

/** One flag: how it is shown, and how what was given becomes a value. */
export interface Flag<T> {
  /** How help shows the value: `<file>`. */
  readonly value: string;
  readonly description: string;
  /** Told in help; what `read` answers for []. */
  readonly shownDefault?: string | undefined;
  /** Given several times, all count; otherwise the last. */
  readonly isRepeated?: boolean;
  /** Without a value it means `true`. */
  readonly isSwitch?: boolean;
  /** `given` is [] where the flag is not there. Throws Error that says what was expected. */
  readonly read: (given: readonly string[]) => T;
}

/** A text, such as a file's name; '' counts as not given. */
export function text(value: string, description: string): Flag<string | undefined> {
  return { value, description, read: (given) => given.at(-1) || undefined };
}

export function textOr(value: string, description: string, fallback: string): Flag<string> {
  return { value, description, shownDefault: fallback, read: (given) => given.at(-1) ?? fallback };
}

/** Each time the flag is given adds one text, commas included. */
export function texts(value: string, description: string): Flag<readonly string[]> {
  return { value, description, isRepeated: true, read: (given) => given };
}

/** Comma-separated, and repeatable; undefined where the flag is not given. */
export function list(value: string, description: string, shownDefault?: string): Flag<readonly string[] | undefined> {
  const items = (given: readonly string[]) =>
    given
      .flatMap((part) => part.split(','))
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return {
    value,
    description,
    shownDefault,
    isRepeated: true,
    read: (given) => (given.length > 0 ? items(given) : undefined),
  };
}

export function boolean(description: string, fallback: boolean): Flag<boolean> {
  return {
    value: '[boolean]',
    description,
    shownDefault: String(fallback),
    isSwitch: true,
    read(given) {
      const last = given.at(-1) ?? String(fallback);
      if (last !== 'true' && last !== 'false') throw new Error(`${JSON.stringify(last)} is neither true nor false`);
      return last === 'true';
    },
  };
}

/** Undefined where it is not given: the default is somebody else's to choose. */
export function optional<T>(flag: Flag<T>): Flag<T | undefined> {
  return { ...flag, read: (given) => (given.length > 0 ? flag.read(given) : undefined) };
}

/** A whole number, not negative. */
export function integer(value: string, description: string, fallback: number): Flag<number> {
  return {
    value,
    description,
    shownDefault: String(fallback),
    read(given) {
      const last = given.at(-1) ?? String(fallback);
      if (!/^\d{1,15}$/.test(last)) throw new Error(`${JSON.stringify(last)} is not a whole number`);
      return Number(last);
    },
  };
}

/** Go's notation ("1h30m"), as milliseconds. `fallback` is in that notation too. */
export function durationMs(description: string, fallback: string): Flag<number> {
  const read = (given: readonly string[]) => parseDuration(given.at(-1) ?? fallback);
  return { value: '<duration>', description, shownDefault: fallback, read };
}

/** A flag whose value means something else. */
export function parsed<From, To>(flag: Flag<From>, parse: (value: From) => To): Flag<To> {
  return { ...flag, read: (given) => parse(flag.read(given)) };
}
