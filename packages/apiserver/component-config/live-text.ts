import { readFileSync } from 'node:fs';
import type { Clock, Logger } from '@kubernode/machinery';
import { followFile } from './follow-file.ts';

/** A text that may become another while the server runs: certificates are renewed in their files. */
export interface LiveText {
  /** As it is now. */
  readonly text: string;
  /** Begins to look for changes, until the signal aborts; asked twice, it looks once. */
  follow(parts: FollowParts): void;
  onChange(handler: () => void): void;
}

interface FollowParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What never changes, or what does. */
export type Text = string | LiveText;

export const textOf = (text: Text): string => (typeof text === 'string' ? text : text.text);

/** Of a file; what `check` throws for leaves the text as it was. Throws where the file cannot be read. */
export function fileText(path: string, check: (text: string) => void = () => {}): LiveText {
  let text = readFileSync(path, 'utf8');
  let isFollowed = false;
  const handlers = new Set<() => void>();
  return {
    get text() {
      return text;
    },
    follow(parts) {
      if (isFollowed) return;
      isFollowed = true;
      const onChange = (changed: string) => {
        check(changed);
        text = changed;
        for (const handler of handlers) handler();
      };
      followFile({ path, text, ...parts, onChange });
    },
    onChange: (handler) => void handlers.add(handler),
  };
}

/** One after the other, a line each at least. */
export function joinTexts(parts: readonly Text[]): Text {
  const live = parts.filter((part) => typeof part !== 'string');
  const joined = () => parts.map(textOf).join('\n').trim();
  if (live.length === 0) return joined();
  return {
    get text() {
      return joined();
    },
    follow: (given) => {
      for (const part of live) part.follow(given);
    },
    onChange: (handler) => {
      for (const part of live) part.onChange(handler);
    },
  };
}

/** What is made of a text, made again only where it is another. */
export function madeOf<T>(text: Text, make: (text: string) => T): () => T {
  let known = textOf(text);
  let made = make(known);
  return () => {
    const now = textOf(text);
    if (now === known) return made;
    made = make(now);
    known = now;
    return made;
  };
}
