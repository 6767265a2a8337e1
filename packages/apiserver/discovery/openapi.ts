import type { Call } from '../context.ts';
import type { ServerResponse } from '../request.ts';

/** /openapi/v2 and /openapi/v3; undefined for all other paths. */
export async function openApi(_call: Call): Promise<ServerResponse | undefined> {
  return undefined;
}
