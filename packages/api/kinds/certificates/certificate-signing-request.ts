import { CertificateSigningRequest } from '../../generated/types/certificates/v1.ts';
import { duplicate, forbidden, invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { pathSegment } from '../../rules/names.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { oneOf, required, requiredOneOf } from '../../rules/values.ts';
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
type Status = CertificateSigningRequest['status'];

/** A PEM block of the right sort; what is inside is the signer's to judge. */
const request: Rule<string> = (value, path) =>
  Buffer.from(value, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE REQUEST-----')
    ? []
    : [invalid(path, '<bytes>', 'PEM block type must be CERTIFICATE REQUEST')];

const signerName: Rule<string> = (value, path) => {
  if (!value) return [requiredCause(path)];
  if (value === 'kubernetes.io/legacy-unknown') {
    return [invalid(path, value, 'the legacy signerName is not allowed via this API version')];
  }
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

const conditions: Rule<NonNullable<Status['conditions']>> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap(({ type, status }, index) => {
    const at = `${path}[${index}]`;
    const found = [...requiredOneOf('False', 'True', 'Unknown')(status, `${at}.status`)];
    if (!type) found.push(requiredCause(`${at}.type`));
    if (seen.has(type)) found.push(duplicate(`${at}.type`, type));
    seen.add(type);
    // Nobody takes a decision back by saying False.
    if (decided.has(type) && status && status !== 'True') {
      return [notSupported(`${at}.status`, status, ['True'])];
    }
    return found;
  });
};

const decided: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);

/** Approval and denial have a subresource of their own. */
const notDecidedHere: Rule<Status> = (status, path, old) => {
  const decided = (of: Status | undefined) =>
    (of?.conditions ?? []).filter(({ type }) => type === 'Approved' || type === 'Denied').length;
  return decided(status) > decided(old)
    ? [forbidden(`${path}.conditions`, 'updates may not add a condition of type "Approved" or "Denied"')]
    : [];
};

const certificate: Rule<string> = (value, path) =>
  Buffer.from(value, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE-----')
    ? []
    : [invalid(path, '<certificate data>', 'must contain at least one CERTIFICATE PEM block')];

/** An issued certificate stays as it is. */
const keptCertificate: Rule<Status> = ({ certificate: now }, path, old) =>
  old?.certificate && now !== old.certificate
    ? [forbidden(`${path}.certificate`, 'updates may not modify existing certificate content')]
    : [];

/** A decision is final, and one excludes the other. */
const finalDecision: Rule<Status> = ({ conditions: list = [] }, path, old) => {
  const found = ['Approved', 'Denied', 'Failed'].flatMap((type) => {
    const had = old?.conditions?.some((condition) => condition.type === type);
    const has = list.some((condition) => condition.type === type);
    return had && !has ? [forbidden(`${path}.conditions`, `updates may not remove a condition of type "${type}"`)] : [];
  });
  const decisions = new Set(list.map(({ type }) => type).filter((type) => type === 'Approved' || type === 'Denied'));
  if (decisions.size < 2) return found;
  return [...found, forbidden(`${path}.conditions`, 'Approved and Denied conditions are mutually exclusive')];
};

const status = all<Status>(fields<Status>({ conditions, certificate }), notDecidedHere, keptCertificate, finalDecision);
const approvalStatus = all<Status>(fields<Status>({ conditions, certificate }), keptCertificate, finalDecision);

export const certificateSigningRequest = define(CertificateSigningRequest, {
  validateName: pathSegment,
  validate: validate<CertificateSigningRequest>(fields<CertificateSigningRequest>({ spec })),
  validateStatusUpdate: validateUpdate<CertificateSigningRequest>(fields<CertificateSigningRequest>({ status })),
  subresources: {
    approval: {
      prepare: (object, old) => ({
        ...object,
        spec: old.spec,
        status: { ...old.status, conditions: object.status.conditions },
      }),
      validate: (object, old) => fields<CertificateSigningRequest>({ status: approvalStatus })(object, '', old),
    },
  },
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
