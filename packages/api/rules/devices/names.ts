import { cIdentifier, dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required, tooLong } from '../cause.ts';

const driverBytesMax = 63;
const identifierBytesMax = 32;
const poolBytesMax = 253;

/** The name of a driver: a domain, in upper or lower case. */
export function driverName(name: string, path: string): readonly FieldCause[] {
  if (!name) return [required(path)];
  return [
    ...(Buffer.byteLength(name) > driverBytesMax ? [tooLong(path, driverBytesMax)] : []),
    ...dns1123Subdomain(name.toLowerCase()).map((detail) => invalid(path, name, detail)),
  ];
}

/** The name of a pool: subdomains with slashes between. */
export function poolName(name: string, path: string): readonly FieldCause[] {
  if (!name) return [required(path)];
  return [
    ...(Buffer.byteLength(name) > poolBytesMax ? [tooLong(path, poolBytesMax)] : []),
    ...name.split('/').flatMap((part) => dns1123Subdomain(part).map((detail) => invalid(path, part, detail))),
  ];
}

const rule = (validator: (value: string) => readonly string[]) => (value: string, path: string) =>
  validator(value).map((detail) => invalid(path, value, detail));

export const shortName = rule(dns1123Label);
export const nodeName = rule(dns1123Subdomain);
export const valueOfLabel = rule(labelValue);
export const nameOfLabel = rule(qualifiedName);

/** What attributes and capacities are called: a C identifier, with or without a driver's domain. */
export function attributeName(name: string, path: string): readonly FieldCause[] {
  const parts = name.split('/');
  if (parts.length > 2) return [];
  const [domain, own = ''] = parts.length === 2 ? parts : [undefined, name];
  const found: FieldCause[] = [];
  if (domain !== undefined)
    found.push(...(domain ? driverName(domain, path) : [invalid(path, '', 'the domain must not be empty')]));
  if (domain !== undefined && !own) return [...found, invalid(path, '', 'the name must not be empty')];
  if (Buffer.byteLength(own) > identifierBytesMax) found.push(tooLong(path, identifierBytesMax));
  return [...found, ...cIdentifier(own).map((detail) => invalid(path, own, detail))];
}

/** A key in a field's path: long ones are cut in the middle. */
export function keyIn(path: string, key: string, bytesMax: number): string {
  if (key.length <= bytesMax) return `${path}[${key}]`;
  const remaining = bytesMax - 3;
  return `${path}[${key.slice(0, Math.floor((remaining + 1) / 2))}...${key.slice(-Math.floor(remaining / 2))}]`;
}
