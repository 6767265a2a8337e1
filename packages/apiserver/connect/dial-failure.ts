import type { StatusError } from '@kubernode/api';
import type { Backend } from './kubelet-transport.ts';
import { failure } from './node-address.ts';

/** That the backend could not be reached, in the words of Go's HTTP client, which people search for. */
export function dialFailure(verb: string, { scheme, host, port }: Backend, path: string, error: unknown): StatusError {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code ? (reasons[code] ?? message) : message;
  const dial = code && code in reasons ? `dial tcp ${address}: ${why}` : why;
  return failure(`${verb} "${scheme}://${address}${path}": ${dial}`);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};
