import { table } from '../../table.ts';
import { dns1035Label, dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '../../names.ts';
import { functionTable, type OverloadRow } from '../function.ts';
import { parseTimestamp } from '../evaluate/time-text.ts';
import { Opaque, Optional, type CelValue } from '../values.ts';
import { requestUriProblem } from './url.ts';

type Check = (text: string) => string[];

/** A named format: what it says of a text, and the length of regular expression that its cost is counted as. */
class Format extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly check: Check;
  readonly regexSize: number;

  constructor(name: string, check: Check, regexSize: number) {
    super();
    this.name = name;
    this.check = check;
    this.regexSize = regexSize;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** A prefix of a generated name may end with a dash: something is added to it. */
const prefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 ? text.replace(/-$/, 'a') : text);

const unless =
  (valid: (text: string) => boolean, message: string): Check =>
  (text) =>
    valid(text) ? [] : [message];
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const isDate = (text: string): boolean => parseTimestamp(`${text}T00:00:00Z`) !== undefined;
const dateTimeSize = 101;

const formats: Readonly<Record<string, Format>> = table({
  dns1123Label: new Format('DNS1123Label', dns1123Label, 30),
  dns1123Subdomain: new Format('DNS1123Subdomain', dns1123Subdomain, 60),
  dns1035Label: new Format('DNS1035Label', dns1035Label, 30),
  qualifiedName: new Format('QualifiedName', qualifiedName, 60),
  dns1123LabelPrefix: new Format('DNS1123LabelPrefix', prefix(dns1123Label), 30),
  dns1123SubdomainPrefix: new Format('DNS1123SubdomainPrefix', prefix(dns1123Subdomain), 60),
  dns1035LabelPrefix: new Format('DNS1035LabelPrefix', prefix(dns1035Label), 30),
  labelValue: new Format('LabelValue', labelValue, 40),
  uri: new Format('URI', (text) => [requestUriProblem(text) ?? []].flat(), 1103),
  uuid: new Format(
    'uuid',
    unless((text) => uuid.test(text), 'does not match the UUID format'),
    77,
  ),
  byte: new Format(
    'byte',
    unless((text) => text !== '' && base64.test(text), 'invalid base64'),
    84,
  ),
  date: new Format('date', unless(isDate, 'invalid date'), dateTimeSize),
  datetime: new Format(
    'datetime',
    unless((text) => parseTimestamp(text) !== undefined, 'invalid datetime'),
    dateTimeSize,
  ),
});

function validate(format: Format, text: string): Optional {
  const problems = format.check(text);
  return problems.length === 0 ? Optional.none : new Optional(problems);
}

/** The length of regular expression that a format's check counts as. */
export function formatRegexSize(value: CelValue | undefined): number {
  return value instanceof Format ? value.regexSize : 0;
}

/** Named formats (KEP-4006). */
export const formatLibrary = functionTable([
  ['validate', 'format-validate', 'kubernetes.NamedFormat.(string) optional(list(string))', validate],
  [
    'format.named',
    'format-named',
    '(string) optional(kubernetes.NamedFormat)',
    (name: string) => (Object.hasOwn(formats, name) ? new Optional(formats[name]) : Optional.none),
  ],
  ...Object.entries(formats).map(([name, format]): OverloadRow => [
    `format.${name}`,
    `format.${name}`,
    '() kubernetes.NamedFormat',
    () => format,
  ]),
]);
