import { X509Certificate } from 'node:crypto';
import { deepEqual } from '@kubernode/machinery';
import type { CertificateSigningRequest } from '../../generated/types/certificates/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../cause.ts';
import { pemBlocks } from './pem.ts';
import { readSignedRequest } from './request.ts';
import { signerName } from './signer-name.ts';
import { firstIndexes } from '../repeated.ts';
import { foundIn } from '../rule.ts';

const expirationSecondsMin = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';
const decided = new Set(['Approved', 'Denied', 'Failed']);
const usages = (
  'any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only,' +
  'digital signature,email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user,key agreement,' +
  'key encipherment,microsoft sgc,netscape sgc,ocsp signing,s/mime,server auth,signing,timestamping'
).split(',');

type Conditions = NonNullable<CertificateSigningRequest['status']['conditions']>;

/** By which way a request is changed: it decides what of the status may change. */
export type Way = 'plain' | 'status' | 'approval';

/** All that is wrong with a request; what `old` had already is tolerated. */
export function signingRequest(
  { spec, status }: CertificateSigningRequest,
  old?: CertificateSigningRequest,
): readonly FieldCause[] {
  const found: FieldCause[] = [];
  const problem = requestProblem(spec.request);
  if (problem) found.push(invalid('spec.request', spec.request, problem));
  found.push(...usageCauses(spec.usages ?? [], old?.spec.usages ?? []));
  if (spec.signerName !== legacySigner) found.push(...signerName(spec.signerName, 'spec.signerName'));
  else if (old?.spec.signerName !== legacySigner) {
    const detail = 'the legacy signerName is not allowed via this API version';
    found.push(invalid('spec.signerName', spec.signerName, detail));
  }
  const seconds = spec.expirationSeconds;
  if (seconds !== undefined && seconds < expirationSecondsMin) {
    const detail = `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`;
    found.push(invalid('spec.expirationSeconds', seconds, detail));
  }
  found.push(...conditionCauses(status.conditions ?? [], old?.status.conditions ?? []));
  const { certificate = '' } = status;
  const wrong = old && certificate === (old.status.certificate ?? '') ? undefined : certificateProblem(certificate);
  if (wrong && !(old && certificateProblem(old.status.certificate ?? '')))
    found.push(invalid('status.certificate', '<certificate data>', wrong));
  return found;
}

function requestProblem(base64: string): string | undefined {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return readSignedRequest(block.bytes).isSignatureValid ? undefined : 'x509: signature is not valid';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function usageCauses(list: readonly string[], old: readonly string[]): readonly FieldCause[] {
  const path = 'spec.usages';
  if (list.length === 0) return [required(path)];
  const hadUnknown = old.some((usage) => !usages.includes(usage));
  const hadTwice = new Set(old).size < old.length;
  const first = firstIndexes(list);
  return foundIn(list, (usage, index) => [
    ...(hadUnknown || usages.includes(usage) ? [] : [notSupported(`${path}[${index}]`, usage, usages)]),
    ...(hadTwice || first.get(usage) === index ? [] : [duplicate(`${path}[${index}]`, usage)]),
  ]);
}

function conditionCauses(list: Conditions, old: Conditions): FieldCause[] {
  const path = 'status.conditions';
  const has = (of: Conditions, type: string) => of.some((condition) => condition.type === type);
  const hadTwice = new Set(old.map(({ type }) => type)).size < old.length;
  const seen = new Set<string>();
  const found = list.flatMap(({ type, status }, index): FieldCause[] => {
    const at = `${path}[${index}]`;
    // Nobody takes a decision back by saying False.
    const allowed = decided.has(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const isTwice = seen.has(type) && !hadTwice;
    seen.add(type);
    return [
      ...(type || has(old, '') ? [] : [required(`${at}.type`)]),
      ...(status ? [] : [required(`${at}.status`)]),
      ...(!status || allowed.includes(status) ? [] : [notSupported(`${at}.status`, status, allowed)]),
      ...(isTwice ? [duplicate(`${at}.type`, type)] : []),
    ];
  });
  const isBoth = (of: Conditions) => has(of, 'Approved') && has(of, 'Denied');
  if (isBoth(list) && !isBoth(old))
    found.push(invalid(path, list, 'Approved and Denied conditions are mutually exclusive'));
  return found;
}

function certificateProblem(base64: string): string | undefined {
  if (!base64) return undefined;
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    try {
      void new X509Certificate(bytes);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length > 0 ? undefined : 'must contain at least one CERTIFICATE PEM block';
}

/** All that is wrong with the change, by the way that it comes. */
export function changedSigningRequest(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  way: Way,
): readonly FieldCause[] {
  const path = 'status.conditions';
  const of = ({ status }: CertificateSigningRequest, type: string) =>
    (status.conditions ?? []).filter((condition) => condition.type === type);
  const found = [...signingRequest(request, old)];
  for (const type of decided) {
    if (of(request, type).length < of(old, type).length)
      found.push(forbidden(path, `updates may not remove a condition of type "${type}"`));
  }
  for (const type of way === 'approval' ? [] : ['Approved', 'Denied']) {
    const [now, before] = [of(request, type), of(old, type)];
    if (now.length > before.length) found.push(forbidden(path, `updates may not add a condition of type "${type}"`));
    else if (now.length === before.length && !deepEqual(now, before))
      found.push(forbidden(path, `updates may not modify a condition of type "${type}"`));
  }
  const before = old.status.certificate ?? '';
  if ((request.status.certificate ?? '') === before) return found;
  if (way !== 'status') found.push(forbidden('status.certificate', 'updates may not set certificate content'));
  else if (before) found.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  return found;
}
