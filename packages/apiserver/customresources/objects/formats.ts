import { isIPv4, isIPv6 } from 'node:net';
import { dns1123Label, dns1123Subdomain, table } from '@kubernode/machinery';

type Check = (text: string) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const uuid = (version: string, variant: string) =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

const isDate: Check = (text) => {
  const [found, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return found !== undefined && isDay(Number(year), Number(month), Number(day));
};

const isDay = (year: number, month: number, day: number) =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();

const isDateTime: Check = (text) =>
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d)?([.,]\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.test(text) && isDate(text.slice(0, 10));

const durationUnits =
  'ns|nano|nanos|us|µs|μs|micro|micros|ms|milli|millis|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|w|wk|wks|week|weeks';

/** A number is read in one way only, so that no text is tried in many. */
const durationPart = `(?:\\d+(?:\\.\\d*)?|\\.\\d+)\\s*(?:${durationUnits})`;

const isCidr: Check = (text) => {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return isIPv4(address) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128;
};

const isUri: Check = (text) => text.startsWith('/') || URL.canParse(text);

const isIsbn10: Check = (text) => {
  const digits = text.replace(/[- ]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0;
};

const isIsbn13: Check = (text) => {
  const digits = text.replace(/[- ]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 3 : 1), 0) % 10 === 0;
};

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const isCreditCard: Check = (text) => {
  const digits = text.replace(/\D/g, '');
  if (!creditCard.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
};

/** The formats that CRDs know, by their name without dashes; all others say nothing. */
const formats: Readonly<Record<string, Check>> = table({
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isUri,
  email: matches(/^(?:[^<>]*<)?[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()\\]+>?$/),
  hostname: matches(
    /^(?=.{1,255}$)([a-zA-Z0-9\u00a1-\uffff]([a-zA-Z0-9\u00a1-\uffff-]{0,61}[a-zA-Z0-9\u00a1-\uffff])?)(\.[a-zA-Z0-9\u00a1-\uffff]([a-zA-Z0-9\u00a1-\uffff-]{0,61}[a-zA-Z0-9\u00a1-\uffff])?)*\.?$/,
  ),
  ipv4: (text) => isIPv4(text),
  ipv6: (text) => isIPv6(text),
  cidr: isCidr,
  mac: matches(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}\1){0,2}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i,
  ),
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: uuid('3', '[0-9a-f]'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(
    /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  password: () => true,
  date: isDate,
  datetime: isDateTime,
  duration: matches(new RegExp(`^[+-]?(?:0|${durationPart}(?:\\s*${durationPart})*)$`)),
  k8sshortname: (text) => dns1123Label(text).length === 0,
  k8slongname: (text) => dns1123Subdomain(text).length === 0,
});

const plain = (format: string) => format.replaceAll('-', '');

/** Whether a string is of a format; true for formats that are not known. */
export function isOfFormat(text: string, format: string): boolean {
  const check = Object.hasOwn(formats, plain(format)) ? formats[plain(format)] : undefined;
  return check?.(text) ?? true;
}

/** Whether a schema of a type may have a format; another one is only worth a warning. */
export function isKnownFormat(format: string, type: string | undefined): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === undefined || type === '' || type === 'string') && Object.hasOwn(formats, plain(format));
}
