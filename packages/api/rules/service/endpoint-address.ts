import { ipAddress } from '@kubernode/machinery';
import { invalid } from '../cause.ts';
import { evenIfAbsent, type Rule } from '../rule.ts';

/** What traffic must never be sent to on somebody's behalf. */
const special: readonly (readonly [pattern: RegExp, detail: string])[] = [
  [/^(0\.0\.0\.0|::)$/, 'may not be unspecified (0.0.0.0 or ::)'],
  [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab][0-9a-f]:)/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff02:)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];

/** An ordinary unicast address. */
export const ordinaryAddress: Rule<string> = (ip, path) => {
  const messages = ipAddress(ip);
  if (messages.length > 0) return messages.map((detail) => invalid(path, ip, detail));
  return specialAddress(ip, path);
};

/** What addresses may not be, of one that is an address. */
export const specialAddress: Rule<string> = (ip, path) =>
  special.filter(([pattern]) => pattern.test(ip)).map(([, detail]) => invalid(path, ip, detail));

/** As `ordinaryAddress`, where upstream says twice of what is no address at all that it is none. */
export const endpointAddress: Rule<string> = evenIfAbsent((ip: string | undefined, path) => {
  const text = ip ?? '';
  const found = ordinaryAddress(text, path);
  const isNoAddress = ipAddress(text).length > 0 && !hasLeadingZeros.test(text);
  return isNoAddress ? [...found, invalid(path, text, 'must be a valid IP address')] : found;
});

/** Older releases read such addresses, so only their form is wrong. */
const hasLeadingZeros = /^\d{1,3}(\.\d{1,3}){3}$/;
