import { dns1123Subdomain } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required } from '../cause.ts';

interface Service {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly path?: string | undefined;
  readonly port?: number | undefined;
}

const urlPattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const form = '; desired format: https://host[/path]';
const portMax = 65_535;

/** The URL of a webhook: https, a host, and nothing but a path after it (apiserver, ValidateWebhookURL). */
export function webhookUrl(url: string, path: string): readonly FieldCause[] {
  const problem = urlProblem(url);
  if (problem) return [required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: ${problem}${form}`)];
  const [, scheme = '', authority = '', rest = '', query = '', fragment = ''] = urlPattern.exec(url) ?? [];
  const isOpaque = scheme !== '' && authority === '' && !rest.startsWith('/');
  const at = authority.lastIndexOf('@');
  const host = isOpaque ? '' : authority.slice(at + 1);
  const found: FieldCause[] = [];
  if (scheme.toLowerCase() !== 'https')
    found.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (!host) found.push(invalid(path, host, `host must be specified${form}`));
  if (at >= 0) found.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment) found.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query) found.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return found;
}

/** What Go's url.Parse would say. */
function urlProblem(url: string): string | undefined {
  if (Array.from(url).some((character) => character < ' ' || character === '\x7f'))
    return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  const [, scheme, authority = '', rest = ''] = urlPattern.exec(url) ?? [];
  if (scheme === undefined && !url.startsWith('/') && /^[^/?#]*:/.test(url))
    return 'first path segment in URL cannot contain colon';
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(authority + rest)?.[0];
  if (escape !== undefined) return `invalid URL escape ${JSON.stringify(escape)}`;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const character = /[ "<>\\^`{|}]/.exec(host)?.[0];
  if (character !== undefined) return `invalid character ${JSON.stringify(character)} in host name`;
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/s.exec(host)?.[1] ?? '';
  return /^(:\d*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
}

/**
 * The Service of a webhook. Upstream looks for the name where the namespace is and the other way round; so do clients
 * that read its causes.
 */
export function webhookService(service: Service, path: string): readonly FieldCause[] {
  const { name, namespace, port = 0, path: urlPath = '' } = service;
  const found: FieldCause[] = [];
  if (!namespace) found.push(required(`${path}.name`));
  if (!name) found.push(required(`${path}.namespace`));
  if (port < 1 || port > portMax)
    found.push(invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  return [...found, ...servicePath(urlPath, `${path}.path`)];
}

function servicePath(urlPath: string, path: string): FieldCause[] {
  if (urlPath === '' || urlPath === '/') return [];
  const wrong = (detail: string) => invalid(path, urlPath, detail);
  if (urlPath === '//') return [wrong('segment[0] may not be empty')];
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(urlPath.startsWith('/') ? [] : [wrong("must start with a '/'")]),
    ...steps.flatMap((step, index) =>
      step
        ? dns1123Subdomain(step).map((detail) => wrong(`segment[${index}]: ${detail}`))
        : [wrong(`segment[${index}] may not be empty`)],
    ),
  ];
}
