import { canonicalIp, ipFamily, ipNumber } from '../../ip.ts';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { Opaque, type CelValue } from '../values.ts';

/** An address: its family's number, its bits. */
class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
    this.family = ipFamily(text) === 'IPv4' ? 4 : 6;
    this.bits = ipNumber(text) ?? 0n;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Ip && other.family === this.family && other.bits === this.bits;
  }
}

/** An address with the length of a prefix; the address may have bits beyond it. */
class Network extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly prefixLength: number;

  constructor(ip: Ip, prefixLength: number) {
    super();
    this.ip = ip;
    this.prefixLength = prefixLength;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Network && other.prefixLength === this.prefixLength && other.ip.equals(this.ip);
  }

  holds(ip: Ip): boolean {
    if (ip.family !== this.ip.family) return false;
    const free = BigInt((ip.family === 4 ? 32 : 128) - this.prefixLength);
    return ip.bits >> free === this.ip.bits >> free;
  }
}

function parseIp(text: string): Ip {
  const canonical = text.includes('%') ? undefined : canonicalIp(text);
  if (canonical === undefined) {
    if (/^[0-9a-fA-F:.]+%.+$/.test(text))
      throw new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
    const problem = `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
    throw new CelError(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${problem}`);
  }
  if (ipFamily(text) === 'IPv6' && !canonical.includes(':')) {
    throw new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
  return new Ip(canonical);
}

function parseNetwork(text: string): Network {
  const problem = 'network address parse error during conversion from string: ';
  const [, address = '', length = ''] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const canonical = address.includes('%') ? undefined : canonicalIp(address);
  const family = canonical === undefined ? undefined : ipFamily(address);
  if (canonical === undefined || Number(length) > (family === 'IPv4' ? 32 : 128)) {
    throw new CelError(`${problem}${problem}netip.ParsePrefix(${JSON.stringify(text)}): unable to parse IP`);
  }
  if (family === 'IPv6' && !canonical.includes(':')) {
    throw new CelError(`${problem}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
  return new Network(new Ip(canonical), Number(length));
}

const parses =
  (parse: (text: string) => CelValue) =>
  (text: string): boolean => {
    try {
      return parse(text) !== undefined;
    } catch {
      return false;
    }
  };

/** Whether an address is in one of two networks, by its family. */
function within(ip: Ip, network4: string | undefined, network6: string | undefined): boolean {
  const network = ip.family === 4 ? network4 : network6;
  return network !== undefined && parseNetwork(network).holds(ip);
}

const isUnspecified = (ip: Ip): boolean => ip.bits === 0n;
const isLoopback = (ip: Ip): boolean => within(ip, '127.0.0.0/8', '::1/128');
const isLinkLocalUnicast = (ip: Ip): boolean => within(ip, '169.254.0.0/16', 'fe80::/10');

function isGlobalUnicast(ip: Ip): boolean {
  const isOther =
    isUnspecified(ip) || isLoopback(ip) || isLinkLocalUnicast(ip) || within(ip, '224.0.0.0/4', 'ff00::/8');
  return !isOther && !(ip.family === 4 && ip.bits === 0xffff_ffffn);
}

/** The reverse of reading an address of a family from its bits. */
function maskedNetwork({ ip, prefixLength }: Network): Network {
  const width = ip.family === 4 ? 32 : 128;
  const free = BigInt(width - prefixLength);
  const hex = ((ip.bits >> free) << free).toString(16).padStart(width / 4, '0');
  const text =
    ip.family === 4
      ? (hex.match(/../g) ?? []).map((part) => Number.parseInt(part, 16)).join('.')
      : (hex.match(/..../g) ?? []).join(':');
  return new Network(parseIp(text), prefixLength);
}

const containsNetwork = (network: Network, other: Network): boolean =>
  network.prefixLength <= other.prefixLength && network.holds(other.ip);

/** IP addresses and networks (KEP-4358). */
export const networkLibrary = functionTable([
  ['ip', 'string_to_ip', '(string) net.IP', parseIp],
  ['isIP', 'is_ip', '(string) bool', parses(parseIp)],
  ['ip.isCanonical', 'ip_is_canonical', '(string) bool', (text: string) => parseIp(text).text === text],
  ['family', 'ip_family', 'net.IP.() int', (ip: Ip) => ip.family],
  ['isUnspecified', 'ip_is_unspecified', 'net.IP.() bool', isUnspecified],
  ['isLoopback', 'ip_is_loopback', 'net.IP.() bool', isLoopback],
  [
    'isLinkLocalMulticast',
    'ip_is_link_local_multicast',
    'net.IP.() bool',
    (ip: Ip) => within(ip, '224.0.0.0/24', 'ff02::/16'),
  ],
  ['isLinkLocalUnicast', 'ip_is_link_local_unicast', 'net.IP.() bool', isLinkLocalUnicast],
  ['isGlobalUnicast', 'ip_is_global_unicast', 'net.IP.() bool', isGlobalUnicast],
  ['string', 'ip_to_string', '(net.IP) string', (ip: Ip) => ip.text],
  ['cidr', 'string_to_cidr', '(string) net.CIDR', parseNetwork],
  ['isCIDR', 'is_cidr', '(string) bool', parses(parseNetwork)],
  [
    'containsIP',
    'cidr_contains_ip_string',
    'net.CIDR.(string) bool',
    (network: Network, ip: string) => network.holds(parseIp(ip)),
  ],
  ['containsIP', 'cidr_contains_ip_ip', 'net.CIDR.(net.IP) bool', (network: Network, ip: Ip) => network.holds(ip)],
  [
    'containsCIDR',
    'cidr_contains_cidr_string',
    'net.CIDR.(string) bool',
    (network: Network, other: string) => containsNetwork(network, parseNetwork(other)),
  ],
  ['containsCIDR', 'cidr_contains_cidr', 'net.CIDR.(net.CIDR) bool', containsNetwork],
  ['ip', 'cidr_ip', 'net.CIDR.() net.IP', (network: Network) => network.ip],
  ['prefixLength', 'cidr_prefix_length', 'net.CIDR.() int', (network: Network) => network.prefixLength],
  ['masked', 'cidr_masked', 'net.CIDR.() net.CIDR', maskedNetwork],
  ['string', 'cidr_to_string', '(net.CIDR) string', ({ ip, prefixLength }: Network) => `${ip.text}/${prefixLength}`],
]);
