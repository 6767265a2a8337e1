import { dns1123Label, dns1123Subdomain, ipAddress } from '@kubernode/machinery';
import type { HostAlias, PodDNSConfig, PodSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, required as requiredCause, tooLong } from '../cause.ts';
import { each, evenIfAbsent, fields, type Rule } from '../rule.ts';
import { format } from '../values.ts';

const nameserversMax = 3;
const searchPathsMax = 32;
const searchCharactersMax = 2048;
const hostnameBytesMax = 64;

/** `dnsConfig` on top of `dnsPolicy`; None has nothing but it. */
export const dns: Rule<PodSpec> = ({ dnsPolicy, dnsConfig }, path) => {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === 'None' && !dnsConfig) {
    return [requiredCause(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (!dnsConfig) return [];
  if (dnsPolicy === 'None' && (dnsConfig.nameservers ?? []).length === 0) {
    return [requiredCause(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  return config(dnsConfig, at);
};

const config: Rule<PodDNSConfig> = ({ nameservers = [], searches = [], options = [] }, path) => {
  const found: FieldCause[] = [];
  if (nameservers.length > nameserversMax) {
    found.push(invalid(`${path}.nameservers`, nameservers, `must not have more than ${nameserversMax} nameservers`));
  }
  found.push(...each(format(ipAddress))(nameservers, `${path}.nameservers`));
  if (searches.length > searchPathsMax) {
    found.push(invalid(`${path}.searches`, searches, `must not have more than ${searchPathsMax} search paths`));
  }
  if (searches.join(' ').length > searchCharactersMax) {
    const detail = `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`;
    found.push(invalid(`${path}.searches`, searches, detail));
  }
  searches.forEach((search, index) => found.push(...searchPath(search, `${path}.searches[${index}]`)));
  options.forEach(({ name }, index) => {
    if (!name) found.push(requiredCause(`${path}.options[${index}]`, 'must not be empty'));
  });
  return found;
};

/** A domain, with underscores too (one may lead) and a dot at the end; "." alone is the root. */
const searchPath: Rule<string> = (search, path) => {
  if (search === '.') return [];
  const name = search
    .replace(/\.$/, '')
    .replace(/(^|\.)_/g, '$1')
    .replaceAll('_', '-');
  return dns1123Subdomain(name).map((detail) => invalid(path, search.replace(/\.$/, ''), detail));
};

export const hostAliases = each(
  fields<HostAlias>({
    ip: evenIfAbsent((ip: string | undefined, path) =>
      ipAddress(ip ?? '').map((detail) => invalid(path, ip ?? '', detail)),
    ),
    hostnames: each(format(dns1123Subdomain)),
  }),
);

export const hostname = format(dns1123Label);

/** A full name in place of the one that the pod would get. */
export const hostnameOverride: Rule<PodSpec> = ({ hostnameOverride: name, setHostnameAsFQDN, hostNetwork }, path) => {
  if (name === undefined) return [];
  const at = `${path}.hostnameOverride`;
  const found: FieldCause[] = [];
  if (setHostnameAsFQDN) found.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (hostNetwork) found.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (Buffer.byteLength(name) > hostnameBytesMax) found.push(tooLong(at, hostnameBytesMax));
  return [...found, ...dns1123Subdomain(name).map((detail) => invalid(at, name, detail))];
};

/** A pod on the host's network takes the host's ports: both numbers are one. A template may leave it open. */
export function hostNetworkPorts({ hostNetwork, containers }: PodSpec, path: string, isPod: boolean) {
  if (!hostNetwork) return [];
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, portIndex) => {
      const at = `${path}.containers[${index}].ports[${portIndex}]`;
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return [];
      return [invalid(`${at}.hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}
