import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required, tooLong } from '../cause.ts';

const domainBytesMax = 253;
const nameBytesMax = 571;

/** Who signs: `example.com/signer-name` (core, ValidateSignerName). */
export function signerName(name: string, path: string): readonly FieldCause[] {
  if (!name) return [required(path)];
  const segments = name.split('/');
  const [domain = '', own = ''] = segments;
  if (segments.length !== 2)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split('.');
  const found = domain.length > domainBytesMax ? [tooLong(path, domainBytesMax)] : [];
  found.push(...firstWrong(labels, dns1123Label, domain, path));
  if (labels.length < 2)
    found.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  found.push(...firstWrong(own.split('.'), dns1123Subdomain, own, path));
  return name.length > nameBytesMax ? [...found, tooLong(path, nameBytesMax)] : found;
}

/** The first label that is wrong speaks for all. */
function firstWrong(
  labels: readonly string[],
  problems: (label: string) => readonly string[],
  shown: string,
  path: string,
): FieldCause[] {
  const label = labels.find((each) => problems(each).length > 0);
  if (label === undefined) return [];
  return problems(label).map((detail) => invalid(path, shown, `validating label ${JSON.stringify(label)}: ${detail}`));
}

/** Whether the project itself keeps the signer. */
export const isKubernetesSigner = (name: string) => /^([^/]*\.)?kubernetes\.io(\/|$)/.test(name);
