import { authoritiesOf } from '../authentication/client-certificate.ts';
import type { RequestHeaderOptions } from '../authentication/request-header.ts';
import { FlagError, liveFileOf } from './group.ts';

interface RequestHeaderFlags {
  readonly 'requestheader-client-ca-file': string | undefined;
  readonly 'requestheader-allowed-names': readonly string[] | undefined;
  readonly 'requestheader-username-headers': readonly string[] | undefined;
  readonly 'requestheader-uid-headers': readonly string[] | undefined;
  readonly 'requestheader-group-headers': readonly string[] | undefined;
  readonly 'requestheader-extra-headers-prefix': readonly string[] | undefined;
}

/** Undefined where no proxy is trusted. Throws FlagError where a proxy could not say who asks. */
export function requestHeaderOf(values: RequestHeaderFlags): RequestHeaderOptions | undefined {
  const clientCa = liveFileOf('requestheader-client-ca-file', values['requestheader-client-ca-file'], authoritiesOf);
  if (clientCa === undefined) return undefined;
  const usernameHeaders = values['requestheader-username-headers'] ?? [];
  if (usernameHeaders.length === 0) {
    throw new FlagError('requestheader-username-headers', 'names no header, expected one such as X-Remote-User');
  }
  return {
    clientCa,
    usernameHeaders,
    allowedNames: values['requestheader-allowed-names'] ?? [],
    uidHeaders: values['requestheader-uid-headers'] ?? [],
    groupHeaders: values['requestheader-group-headers'] ?? [],
    extraHeaderPrefixes: values['requestheader-extra-headers-prefix'] ?? [],
  };
}
