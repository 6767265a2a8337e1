import { StatusError } from '@kubernode/api';

/** Where a list goes on: after a key, as of a revision; -1 says as of now. */
export interface ContinueToken {
  readonly revision: number;
  /** The last key that was answered, without the resource's prefix. */
  readonly after: string;
}

/** Opaque to clients; the form is upstream's (`v` is the form's version). */
export function encodeToken({ revision, after }: ContinueToken): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` });
  return Buffer.from(text).toString('base64url');
}

/** Throws BadRequest. */
export function decodeToken(token: string): ContinueToken {
  try {
    const parsed = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Record<string, unknown>;
    const { v, rv, start } = parsed;
    if (
      v === 'meta.k8s.io/v1' &&
      typeof rv === 'number' &&
      Number.isInteger(rv) &&
      rv !== 0 &&
      typeof start === 'string'
    ) {
      if (start !== '' && !start.includes('..'))
        return { revision: rv, after: start.endsWith('\0') ? start.slice(0, -1) : start };
    }
  } catch {
    // What cannot be read is refused like what makes no sense.
  }
  throw StatusError.badRequest(`continue key is not valid: ${JSON.stringify(token)} did not come from a list`);
}
