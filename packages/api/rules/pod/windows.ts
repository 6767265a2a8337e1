import { dns1123Subdomain } from '@kubernode/machinery';
import type { WindowsSecurityContextOptions } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';
import type { Rule } from '../rule.ts';

const credentialBytesMax = 64 * 1024;
const domainCharactersEnd = 256;
const userCharactersMax = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainName = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/;
// eslint-disable-next-line no-control-regex
const control = /[\0-\x1f\x7f]/;

/** What containers on Windows run as. */
export const windowsOptions: Rule<WindowsSecurityContextOptions> = (options, path) => {
  const { gmsaCredentialSpec: credential, gmsaCredentialSpecName: name, runAsUserName } = options;
  const found: FieldCause[] = [];
  if (name !== undefined)
    found.push(...dns1123Subdomain(name).map((detail) => invalid(`${path}.gmsaCredentialSpecName`, name, detail)));
  if (credential === '') {
    found.push(invalid(`${path}.gmsaCredentialSpec`, '', 'gmsaCredentialSpec cannot be an empty string'));
  } else if (credential && Buffer.byteLength(credential) > credentialBytesMax) {
    found.push(invalid(`${path}.gmsaCredentialSpec`, credential, 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  if (runAsUserName === undefined) return found;
  const why = userProblems(runAsUserName).map((problem) => `runAsUserName${problem}`);
  return [...found, ...why.map((detail) => invalid(`${path}.runAsUserName`, runAsUserName, detail))];
};

/** A user, or `DOMAIN\user`, each part of a length and of characters that Windows takes. */
function userProblems(value: string): string[] {
  if (value === '') return [' cannot be an empty string'];
  if (control.test(value)) return [' cannot contain control characters'];
  const parts = value.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length > 1 ? (parts[0] ?? '') : undefined;
  const found: string[] = [];
  if (domain !== undefined && domain.length >= domainCharactersEnd)
    found.push(`'s Domain length must be under ${domainCharactersEnd} characters`);
  if (domain !== undefined && !netBios.test(domain) && !domainName.test(domain))
    found.push("'s Domain doesn't match the NetBios nor the DNS format");
  if (user === '') found.push("'s User cannot be empty");
  else if (user.length > userCharactersMax)
    found.push(`'s User length must not be longer than ${userCharactersMax} characters`);
  if (/^[. ]+$/.test(user)) found.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    found.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return found;
}
