import { isIP } from 'node:net';
import type { ServerRequest } from '../request.ts';

/** Where a request came from: what proxies say (X-Forwarded-For, X-Real-Ip), then the connection's own address. */
export function sourceIps({ headers, connection }: ServerRequest): string[] {
  const found = (headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => isIP(part) !== 0);
  const real = headers['x-real-ip']?.trim() ?? '';
  if (isIP(real) !== 0 && !found.includes(real)) found.push(real);
  const own = connection?.socket?.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '::1';
  if (found.at(-1) !== own) found.push(own);
  return found;
}
