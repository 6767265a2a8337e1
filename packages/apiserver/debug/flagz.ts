import type { Call } from '../context.ts';
import type { ServerResponse } from '../request.ts';
import { zPage } from './zpage.ts';

/** GET /flagz: every flag of the server with its value, sorted by name. */
export function flagz(call: Call, flags: ReadonlyMap<string, string>): ServerResponse {
  const sorted = [...flags].sort(([a], [b]) => (a < b ? -1 : 1));
  return zPage(call, {
    kind: 'Flagz',
    text: () => sorted.map(([name, value]) => `${name}:${value}\n`).join(''),
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  });
}
