import { CriError } from '@kubernode/api/cri';

/** An image's name, in full: `docker.io/library/busybox:latest`. */
export interface Reference {
  /** Registry's host, with its port where given. */
  readonly domain: string;
  readonly path: string;
  /** `domain/path`. */
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const defaultDomain = 'docker.io';
const domainPattern = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const pathPattern = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/;
const nameLengthMax = 255;

/**
 * Reads a reference and fills in what Docker's convention leaves out: `docker.io`, `library/` and, where neither tag nor
 * digest is given, `latest` (distribution's reference grammar). Throws InvalidArgument.
 */
export function parseReference(text: string): Reference {
  const [beforeDigest = '', digest, ...more] = text.split('@');
  const invalid = (why = '') =>
    new CriError('InvalidArgument', `couldn't parse image name "${text}": invalid reference format${why}`);
  if (more.length > 0 || (digest !== undefined && !digestPattern.test(digest))) throw invalid();
  const colon = beforeDigest.lastIndexOf(':');
  const tagged = colon > beforeDigest.lastIndexOf('/');
  const tag = tagged ? beforeDigest.slice(colon + 1) : undefined;
  if (tag !== undefined && !tagPattern.test(tag)) throw invalid();
  const { domain, path } = splitDomain(tagged ? beforeDigest.slice(0, colon) : beforeDigest);
  if (path !== path.toLowerCase()) throw invalid(`: repository name (${path}) must be lowercase`);
  if (!domainPattern.test(domain) || !pathPattern.test(path)) throw invalid();
  const name = `${domain}/${path}`;
  if (name.length > nameLengthMax) throw invalid(`: repository name must not be more than ${nameLengthMax} characters`);
  return { domain, path, name, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest };
}

/** The reference in full; a digest outweighs a tag. */
export function formatReference(reference: Reference): string {
  return reference.digest ? `${reference.name}@${reference.digest}` : `${reference.name}:${reference.tag}`;
}

function splitDomain(name: string): { domain: string; path: string } {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const domain = isDomain ? (first === 'index.docker.io' ? defaultDomain : first) : defaultDomain;
  const path = isDomain ? name.slice(slash + 1) : name;
  return { domain, path: domain === defaultDomain && !path.includes('/') ? `library/${path}` : path };
}
