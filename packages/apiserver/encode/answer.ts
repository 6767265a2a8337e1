import type { ServerResponse } from '../request.ts';
import { valueOf } from './value.ts';

/** An answer as bytes, with the headers that say what they are. */
export function bytesOf(response: ServerResponse): {
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
} {
  const bytes = Buffer.from(JSON.stringify(valueOf(response.content)));
  return {
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield bytes;
    })(),
  };
}
