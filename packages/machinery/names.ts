/** Checks of names; each answers upstream's messages, an empty list for a valid value. */

const utf8 = new TextEncoder();
/** Limits count bytes; a text without characters beyond ASCII has as many as it has characters. */
const byteLength = (value: string) => (value.length > 15 ? utf8.encode(value).length : value.length);

const valid: string[] = [];
Object.freeze(valid);

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const underscoreLabelPattern = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const underscoreSubdomainPattern = `${underscoreLabelPattern}(\\.${underscoreLabelPattern})*`;
const dns1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wildcardPattern = `\\*\\.${subdomainPattern}`;
const labelKeyPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValuePattern = `(${labelKeyPattern})?`;
const configMapKeyPattern = '[-._a-zA-Z0-9]+';
const envVarPattern = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const cIdentifierPattern = '[A-Za-z_][A-Za-z0-9_]*';
const percentPattern = '[0-9]+%';
const headerPattern = '[-A-Za-z0-9]+';

const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const labelRegex = whole(labelPattern);
const subdomainRegex = whole(subdomainPattern);
const underscoreSubdomainRegex = whole(underscoreSubdomainPattern);
const dns1035Regex = whole(dns1035Pattern);
const wildcardRegex = whole(wildcardPattern);
const labelKeyRegex = whole(labelKeyPattern);
const labelValueRegex = whole(labelValuePattern);
const configMapKeyRegex = whole(configMapKeyPattern);
const envVarRegex = whole(envVarPattern);
const cIdentifierRegex = whole(cIdentifierPattern);
const percentRegex = whole(percentPattern);
const headerRegex = whole(headerPattern);

const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  'with an alphanumeric character';
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  'and end with an alphanumeric character';
const underscoreSubdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must " +
  'start and end with an alphanumeric character';
const dns1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  'and end with an alphanumeric character';
const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
  "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
  'and end with an alphanumeric character';
const envVarMessage =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not " +
  'start with a digit';
const relaxedEnvVarMessage =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** "must be no more than 63 characters"; newer checks of upstream say bytes. */
export const maxLengthMessage = (length: number, unit: 'bytes' | 'characters' = 'characters') =>
  `must be no more than ${length} ${unit}`;

/** "must be between 1 and 65535, inclusive" */
export const inclusiveRangeMessage = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;

/** What does not match, with examples of what does. */
export function patternMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

/** RFC 1123 label, at most 63 characters: most names of things that become a host's or a directory's name. */
export function dns1123Label(value: string): string[] {
  if (value.length <= 63 && labelRegex.test(value)) return valid;
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63)] : [];
  if (labelRegex.test(value)) return errors;
  errors.push(
    subdomainRegex.test(value)
      ? 'must not contain dots'
      : patternMessage(labelMessage, labelPattern, 'my-name', '123-abc'),
  );
  return errors;
}

/** RFC 1123 subdomain, at most 253 characters: the name of most objects. */
export function dns1123Subdomain(value: string): string[] {
  return subdomain(value, 'characters');
}

function subdomain(value: string, unit: 'bytes' | 'characters'): string[] {
  if (value.length <= 253 && subdomainRegex.test(value)) return valid;
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253, unit)] : [];
  if (!subdomainRegex.test(value)) {
    errors.push(patternMessage(subdomainMessage, subdomainPattern, 'example.com'));
  }
  return errors;
}

export function dns1123SubdomainWithUnderscore(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!underscoreSubdomainRegex.test(value)) {
    errors.push(patternMessage(underscoreSubdomainMessage, underscoreSubdomainPattern, 'example.com'));
  }
  return errors;
}

export function wildcardDns1123Subdomain(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!wildcardRegex.test(value)) {
    errors.push(patternMessage(wildcardMessage, wildcardPattern, '*.example.com'));
  }
  return errors;
}

/** RFC 1035 label, at most 63 characters: the name of a Service. */
export function dns1035Label(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63)] : [];
  if (!dns1035Regex.test(value)) {
    errors.push(patternMessage(dns1035Message, dns1035Pattern, 'my-name', 'abc-123'));
  }
  return errors;
}

/** A label's key, "app" or "example.com/app"; also finalizers, conditions' types, resources' names. */
export function qualifiedName(value: string): string[] {
  const slash = value.indexOf('/');
  if (slash < 0 && value.length <= 63 && labelKeyRegex.test(value)) return valid;
  const keyMessage = () => patternMessage(labelKeyMessage, labelKeyPattern, 'MyName', 'my.name', '123-abc');
  if (slash >= 0 && value.includes('/', slash + 1)) {
    return [
      `a valid label key ${keyMessage()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  if (slash === 0) errors.push('prefix part must be non-empty');
  else if (slash > 0) {
    errors.push(...subdomain(value.slice(0, slash), 'bytes').map((message) => `prefix part ${message}`));
  }
  const name = value.slice(slash + 1);
  if (name === '') errors.push('name part must be non-empty');
  else if (byteLength(name) > 63) errors.push(`name part ${maxLengthMessage(63, 'bytes')}`);
  if (!labelKeyRegex.test(name)) errors.push(`name part ${keyMessage()}`);
  return errors;
}

/** A finalizer's name follows the rule of qualified names. */
export const finalizerName = qualifiedName;

/** An annotation's key: a qualified name in which case does not matter. */
export const annotationKey = (value: string) => qualifiedName(value.toLowerCase());

export function labelValue(value: string): string[] {
  if (value.length <= 63 && labelValueRegex.test(value)) return valid;
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63, 'bytes')] : [];
  if (!labelValueRegex.test(value)) {
    errors.push(patternMessage(labelValueMessage, labelValuePattern, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

/** A key of a ConfigMap or Secret, which becomes a file's name. */
export function configMapKey(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!configMapKeyRegex.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(patternMessage(message, configMapKeyPattern, 'key.name', 'KEY_NAME', 'key-name'));
  }
  return [...errors, ...changesDirectory(value)];
}

export function envVarName(value: string): string[] {
  const errors = changesDirectory(value);
  if (envVarRegex.test(value)) return errors;
  return [patternMessage(envVarMessage, envVarPattern, 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1'), ...errors];
}

/** What RelaxedEnvironmentVariableValidation allows: any printable ASCII except "=". */
export function relaxedEnvVarName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(value) ? [] : [relaxedEnvVarMessage];
}

function changesDirectory(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** The name of a container's port (RFC 6335, lower case only). */
export function portName(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 15) errors.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export function portNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [inclusiveRangeMessage(1, 65535)];
}

/** A user's or group's number. */
export function unixId(value: number): string[] {
  return value >= 0 && value <= 2147483647 ? [] : [inclusiveRangeMessage(0, 2147483647)];
}

export function percent(value: string): string[] {
  if (percentRegex.test(value)) return [];
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return [patternMessage(message, percentPattern, '1%', '93%')];
}

export function cIdentifier(value: string): string[] {
  if (cIdentifierRegex.test(value)) return [];
  const message =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
    "characters or '_'";
  return [patternMessage(message, cIdentifierPattern, 'my_name', 'MY_NAME', 'MyName')];
}

export function httpHeaderName(value: string): string[] {
  if (headerRegex.test(value)) return [];
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternMessage(message, headerPattern, 'X-Header-Name')];
}

/** A name that may stand in a path: RBAC's objects and custom resources allow that much. */
export function pathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((text) => value.includes(text)).map((text) => `may not contain '${text}'`);
}

const uidRegex = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text has the form in which this server makes uids. */
export const isUid = (value: string) => uidRegex.test(value);
