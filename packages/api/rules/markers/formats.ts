import {
  cIdentifier,
  dns1123Label,
  dns1123Subdomain,
  isUid,
  labelValue,
  pathSegmentName,
  qualifiedName,
} from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { invalid, tooLong } from '../cause.ts';
import type { Rule } from '../rule.ts';
import { format } from '../values.ts';

const poolNameBytesMax = 253;
const domainBytesMax = 63;
const identifierBytesMax = 32;

/** What `+k8s:format=` names (apimachinery, pkg/api/validate/strfmt.go). */
export const formats: Readonly<Record<string, Rule<string> | undefined>> = {
  'k8s-short-name': format(dns1123Label),
  'k8s-long-name': format(dns1123Subdomain),
  'k8s-long-name-caseless': format((value) => dns1123Subdomain(value.toLowerCase())),
  'k8s-label-key': format(qualifiedName),
  'k8s-label-value': format(labelValue),
  'k8s-prefixed-label-key': format(prefixedLabelKey),
  'k8s-path-segment-name': format(pathSegmentName),
  'k8s-uuid': format((value) => (isUid(value) ? [] : ['must be a lowercase UUID in 8-4-4-4-12 format'])),
  'k8s-resource-pool-name': resourcePoolName,
  'k8s-extended-resource-name': format(extendedResourceName),
  'k8s-resource-fully-qualified-name': fullyQualifiedName,
};

function prefixedLabelKey(value: string): readonly string[] {
  const found = qualifiedName(value);
  if (found.length > 0 || value.includes('/')) return found;
  return ["must include a prefix (e.g. 'example.com/key')"];
}

const fullyQualifiedDetail = 'a fully qualified name must be a domain and a name separated by a slash';

/** Subdomains, with slashes between. */
function resourcePoolName(value: string, path: string): readonly FieldCause[] {
  const found = Buffer.byteLength(value) > poolNameBytesMax ? [tooLong(path, poolNameBytesMax)] : [];
  value.split('/').forEach((part, index) => {
    const details = part ? dns1123Subdomain(part) : ['must not be empty'];
    found.push(...details.map((detail) => invalid(path, part || value, `segment ${index}: ${detail}`)));
  });
  return found;
}

/** Has a domain that is not Kubernetes' own, and is no name of a quota. */
function extendedResourceName(value: string): readonly string[] {
  const found: string[] = [];
  if (!value.includes('/')) found.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  else if (value.includes('kubernetes.io/')) found.push('must not have "kubernetes.io/" domain');
  if (value.startsWith('requests.')) found.push('must not have "requests." prefix');
  return [...found, ...qualifiedName(`requests.${value}`)];
}

/** A C identifier, with or without a domain before it. */
function resourceQualifiedName(value: string, path: string): readonly FieldCause[] {
  const parts = value.split('/');
  if (parts.length > 2) return [];
  const [domain, name = ''] = parts.length === 2 ? parts : [undefined, value];
  const found: FieldCause[] = [];
  if (domain === '') found.push(invalid(path, '', 'prefix must not be empty'));
  else if (domain !== undefined) {
    if (domain.length > domainBytesMax) found.push(tooLong(path, domainBytesMax));
    found.push(...dns1123Subdomain(domain).map((detail) => invalid(path, domain, `prefix: ${detail}`)));
  }
  if (domain !== undefined && !name) return [...found, invalid(path, '', 'name must not be empty')];
  if (name.length > identifierBytesMax) found.push(tooLong(path, identifierBytesMax));
  return [...found, ...cIdentifier(name).map((detail) => invalid(path, name, detail))];
}

function fullyQualifiedName(value: string, path: string): readonly FieldCause[] {
  const found = resourceQualifiedName(value, path);
  return value.includes('/') ? found : [...found, invalid(path, value, fullyQualifiedDetail)];
}
