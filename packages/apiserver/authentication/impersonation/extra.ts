import { aggregateMessages, dns1123Subdomain } from '@kubernode/machinery';

/** Why constrained impersonation refuses extra values whatever the rights; undefined where it does not. */
export function extraProblem(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const why = pathProblem(key);
    if (why) return `impersonating an invalid key in extra is not allowed: ${why}`;
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    }
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** What is wrong with a key that must be `<domain>/<path>` (apimachinery, validation.IsDomainPrefixedPath). */
export function pathProblem(key: string, field = 'extra.key'): string | undefined {
  const invalid = (value: string, why: string) => `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
  const slash = key.indexOf('/');
  const [domain, path] = slash < 0 ? [key, ''] : [key.slice(0, slash), key.slice(slash + 1)];
  if (!domain || !path) {
    return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const problems = dns1123Subdomain(domain).map((why) => invalid(domain, why));
  if (!pathCharacters.test(path)) {
    const why = `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
    problems.push(invalid(path, why));
  }
  return problems.length > 0 ? aggregateMessages(problems) : undefined;
}
