import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type IpFamily = 'IPv4' | 'IPv6';

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4Regex = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** An address of four decimal octets, or of IPv6 without a zone; undefined for anything else. */
function parse(text: string): Address | undefined {
  if (ipv4Regex.test(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  // What follows a mapped address's last colon must be a proper IPv4 address, too.
  if (text.includes('.') && !ipv4Regex.test(text.slice(text.lastIndexOf(':') + 1))) return undefined;
  return ipaddr.IPv6.parse(text);
}

export const isIp = (text: string) => parse(text) !== undefined;

export function ipFamily(text: string): IpFamily | undefined {
  const address = parse(text);
  return address && (address.kind() === 'ipv4' ? 'IPv4' : 'IPv6');
}

/** The one way to write the address (RFC 5952); undefined for what is none. */
export function canonicalIp(text: string): string | undefined {
  const address = parse(text);
  if (!address) return undefined;
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()) {
    return (address as ipaddr.IPv6).toIPv4Address().toString();
  }
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).toRFC5952String();
}

/** A field that takes an address: upstream's messages (validation.IsValidIPForLegacyField, strict). */
export function ipAddress(text: string): string[] {
  const address = parse(text);
  if (!address) {
    if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text) && ipv4Regex.test(withoutLeadingZeros(text))) {
      return ['must not have leading 0s'];
    }
    return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  }
  return isMapped(address) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** A field that takes an address in its canonical form only (validation.IsValidIP). */
export function canonicalIpAddress(text: string): string[] {
  const errors = ipAddress(text);
  if (errors.length > 0) return errors;
  const canonical = canonicalIp(text);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** A network: its first address as a number, how many bits are fixed, and of which family it is. */
export interface Cidr {
  readonly family: IpFamily;
  readonly base: bigint;
  readonly prefixLength: number;
}

/** Parses "10.0.0.0/16"; the bits beyond the prefix are cut off. Undefined for anything else. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parse(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = Number(length);
  if (prefixLength > bits) return undefined;
  const hostBits = BigInt(bits - prefixLength);
  const base = (bigintOf(address) >> hostBits) << hostBits;
  return { family: bits === 32 ? 'IPv4' : 'IPv6', base, prefixLength };
}

/** A field that takes a network: upstream's messages (validation.IsValidCIDRForLegacyField, strict). */
export function cidr(text: string): string[] {
  const parsed = parseCidr(text);
  if (!parsed) {
    const [ip = '', length = ''] = text.split('/');
    const sloppy = `${withoutLeadingZeros(ip)}/${length.replace(/^0+(?=\d)/, '')}`;
    if (text.includes('/') && parseCidr(sloppy)) return ['must not have leading 0s in IP or prefix length'];
    return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  }
  const address = parse(text.slice(0, text.indexOf('/')));
  if (address && isMapped(address)) return ['must not have an IPv4-mapped IPv6 address'];
  return address && bigintOf(address) !== parsed.base ? ['must not have bits set beyond the prefix length'] : [];
}

/** A field that takes a network in its canonical form only (validation.IsValidCIDR). */
export function canonicalCidr(text: string): string[] {
  const errors = cidr(text);
  if (errors.length > 0) return errors;
  const parsed = parseCidr(text);
  const canonical = parsed ? formatCidr(parsed) : text;
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

export const formatCidr = ({ family, base, prefixLength }: Cidr) => `${ipOf(base, family)}/${prefixLength}`;

export function cidrContains(network: Cidr, ip: string): boolean {
  const address = parse(ip);
  if (!address || ipFamily(ip) !== network.family) return false;
  const offset = bigintOf(address) - network.base;
  return offset >= 0n && offset < cidrSize(network);
}

/** How many addresses the network has. */
export const cidrSize = ({ family, prefixLength }: Cidr) => 1n << BigInt((family === 'IPv4' ? 32 : 128) - prefixLength);

/** The address as a number; undefined for what is none. */
export function ipNumber(text: string): bigint | undefined {
  const address = parse(text);
  return address && bigintOf(address);
}

/** The address with that number, in canonical form. */
export function ipOf(number: bigint, family: IpFamily): string {
  const length = family === 'IPv4' ? 4 : 16;
  const bytes = Array.from({ length }, (_, index) => Number((number >> BigInt(8 * (length - 1 - index))) & 255n));
  return family === 'IPv4' ? bytes.join('.') : new ipaddr.IPv6(bytes).toRFC5952String();
}

const isMapped = (address: Address) => address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress();

const withoutLeadingZeros = (text: string) => text.replace(/(^|\.)0+(?=\d)/g, '$1');

const bigintOf = (address: Address) =>
  address.toByteArray().reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
