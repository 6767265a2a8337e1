import { CertificateSigningRequest } from '../../generated/types/certificates/v1.ts';
import { invalid, required as requiredCause } from '../../rules/cause.ts';
import { anyName } from '../../rules/names.ts';
import { each, fields, type Rule, validate } from '../../rules/rule.ts';
import { oneOf, required } from '../../rules/values.ts';
import { age, noneCell } from '../cells.ts';
import { humanDuration } from '@kubernode/machinery';
import { define } from '../define.ts';

const expirationSecondsMin = 600;

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

type Spec = CertificateSigningRequest['spec'];

/** A PEM block of the right sort; what is inside is the signer's to judge. */
const request: Rule<string> = (value, path) =>
  Buffer.from(value, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE REQUEST-----')
    ? []
    : [invalid(path, '<bytes>', 'PEM block type must be CERTIFICATE REQUEST')];

const signerName: Rule<string> = (value, path) => {
  if (!value) return [requiredCause(path)];
  const [domain = '', name = ''] = value.split('/');
  const isQualified = name !== '' && domain.includes('.') && /^[a-z0-9.-]+$/.test(domain);
  return isQualified
    ? []
    : [invalid(path, value, 'must be a fully qualified domain and path of the form "example.com/signer-name"')];
};

const spec = fields<Spec>({
  request,
  signerName,
  usages: [required as Rule<readonly string[]>, each<string>(oneOf(...usages))],
  expirationSeconds: (value, path) =>
    value < expirationSecondsMin
      ? [invalid(path, value, `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`)]
      : [],
});

export const certificateSigningRequest = define(CertificateSigningRequest, {
  validateName: anyName,
  validate: validate<CertificateSigningRequest>(fields<CertificateSigningRequest>({ spec })),
  /** A request is what was asked for; only its answer changes. */
  prepareForUpdate(object, old) {
    object.spec = old.spec;
  },
  selectableFields: { 'spec.signerName': (object) => object.spec.signerName },
  generation: 'none',
  row: (object, nowMs) => [
    object.metadata.name,
    age(object, nowMs),
    object.spec.signerName || noneCell,
    object.spec.username ?? '',
    object.spec.expirationSeconds === undefined ? noneCell : humanDuration(object.spec.expirationSeconds * 1000),
    conditionCell(object),
  ],
});

function conditionCell({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status.conditions?.some((condition) => condition.type === type);
  const words = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'];
  if (has('Failed')) words.push('Failed');
  if (status.certificate) words.push('Issued');
  return words.join(',');
}
