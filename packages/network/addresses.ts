/** IPv4 arithmetic for pod ranges: addresses as unsigned 32-bit numbers. */
export interface Ipv4Range {
  readonly first: number;
  readonly size: number;
  readonly prefixLength: number;
}

/** `10.244.0.0/24`. Throws on anything else, naming the text. */
export function parseIpv4Range(text: string): Ipv4Range {
  const [address = '', prefix = ''] = text.split('/');
  const prefixLength = Number(prefix);
  if (!/^\d+$/.test(prefix) || prefixLength > 32)
    throw new Error(`"${text}" is not an IPv4 range such as 10.244.0.0/24`);
  const size = 2 ** (32 - prefixLength);
  return { first: Math.floor(parseIpv4(address) / size) * size, size, prefixLength };
}

export function parseIpv4(text: string): number {
  const parts = text.split('.').map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  if (parts.length !== 4 || parts.some((part) => part > 255)) throw new Error(`"${text}" is not an IPv4 address`);
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
