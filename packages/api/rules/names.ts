import type { FieldCause } from '../status-error.ts';
import { invalid, required } from './cause.ts';
import { dns1123Label, dns1123Subdomain, pathSegmentName } from '@kubernode/machinery';

/** What a kind's name must be: messages, none if it is fine. A prefix is a `generateName`, whose end is still to come. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

export const subdomainName: NameRule = (name, isPrefix) => dns1123Subdomain(masked(name, isPrefix));
export const labelName: NameRule = (name, isPrefix) => dns1123Label(masked(name, isPrefix));
/** Anything that is one segment of a URL's path, which every name has to be. */
export const pathSegment: NameRule = (name, isPrefix) => {
  if (!isPrefix) return pathSegmentName(name);
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
};

function masked(name: string, isPrefix: boolean): string {
  return isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

interface TypedReference {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/** A reference to an object of any kind: a group, and a kind and a name that are segments of a path. */
export function typedReference({ apiGroup, kind, name }: TypedReference, path: string): readonly FieldCause[] {
  const group = apiGroup === undefined ? [] : dns1123Subdomain(apiGroup);
  const found = group.map((detail) => invalid(`${path}.apiGroup`, apiGroup, detail));
  const segments = Object.entries({ kind, name }).flatMap(([field, value]) =>
    value
      ? pathSegmentName(value).map((detail) => invalid(`${path}.${field}`, value, detail))
      : [required(`${path}.${field}`)],
  );
  return [...found, ...segments];
}

/** `acme.io/foo`: a domain, and a path below it (validation.IsDomainPrefixedPath). */
export function domainPrefixedPath(value: string, path: string): readonly FieldCause[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const [domain, rest] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash <= 0 || rest === '')
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const found = dns1123Subdomain(domain).map((detail) => invalid(path, domain, detail));
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) return found;
  return [...found, invalid(path, rest, 'Invalid path')];
}
