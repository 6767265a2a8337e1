import { dns1035Label, dns1123Subdomain, pathSegmentName } from '@kubernode/machinery';
import type { ParamKind, ParamRef } from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required } from '../cause.ts';
import { labelSelector } from '../selector.ts';

/** The kind of a policy's parameters. */
export function paramKind({ apiVersion = '', kind = '' }: ParamKind, path: string): readonly FieldCause[] {
  const found = apiVersionCauses(apiVersion, `${path}.apiVersion`);
  if (!kind) return [...found, required(`${path}.kind`)];
  const wrong = dns1035Label(kind.toLowerCase());
  if (wrong.length === 0) return found;
  const detail = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
  return [...found, invalid(`${path}.kind`, kind, detail)];
}

function apiVersionCauses(apiVersion: string, path: string): FieldCause[] {
  if (!apiVersion) return [required(path)];
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const found: FieldCause[] = [];
  const wrongGroup = group ? dns1123Subdomain(group) : [];
  if (wrongGroup.length > 0) found.push(invalid(path, group, wrongGroup.join(',')));
  if (!version) return [...found, invalid(path, apiVersion, 'version must be specified')];
  const wrong = dns1035Label(version);
  return wrong.length > 0 ? [...found, invalid(path, version, wrong.join(','))] : found;
}

const exclusive = 'name and selector are mutually exclusive';
const notFoundActions = ['Deny', 'Allow'];

/** Which parameters a binding names: one, or those that are selected. */
export function paramRef(reference: ParamRef, path: string): readonly FieldCause[] {
  const { name, selector, parameterNotFoundAction: action } = reference;
  const found: FieldCause[] = [];
  if (name) {
    found.push(...pathSegmentName(name).map((detail) => invalid(`${path}.name`, name, detail)));
    if (selector) found.push(forbidden(`${path}.name`, exclusive));
  }
  if (selector) {
    found.push(...labelSelector(selector, `${path}.selector`));
    if (name) found.push(forbidden(`${path}.selector`, exclusive));
  }
  if (!name && !selector) found.push(required(path, 'one of name or selector must be specified'));
  const at = `${path}.parameterNotFoundAction`;
  if (!action) found.push(required(at));
  else if (!notFoundActions.includes(action)) found.push(notSupported(at, action, notFoundActions));
  return found;
}
