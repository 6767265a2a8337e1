import type { User } from '@kubernode/api';
import { readDer, readDerChildren, readDerOid } from '@kubernode/machinery/x509';

const commonName = '2.5.4.3';
const organization = '2.5.4.10';
/** Kubernetes' own attribute for a user's uid (k8s.io/apiserver, request/x509). */
const uid = '1.3.6.1.4.1.57683.2';

/**
 * The user that a verified client certificate (DER) names: CN is the name, each O a group. `system:authenticated` is
 * not among the groups yet. Undefined where the subject has no common name; throws where it has several uids.
 */
export function certificateUser(certificate: Uint8Array): User | undefined {
  const [body] = readDerChildren(readDer(certificate));
  const fields = readDerChildren(body!);
  // The version is explicit and optional; the subject is the fifth field after it.
  const subject = fields[fields[0]!.tag === 0xa0 ? 5 : 4]!;
  const groups: string[] = [];
  let name = '';
  const uids: string[] = [];
  for (const set of readDerChildren(subject)) {
    for (const attribute of readDerChildren(set)) {
      const [type, value] = readDerChildren(attribute);
      const text = value!.content.toString('utf8');
      const attributeName = readDerOid(type!.content);
      if (attributeName === commonName) name = text;
      else if (attributeName === organization) groups.push(text);
      else if (attributeName === uid) uids.push(text);
    }
  }
  if (name === '') return undefined;
  if (uids.length > 1) throw new Error(`expected 1 UID, but found multiple: [${uids.join(' ')}]`);
  const [userUid] = uids;
  if (userUid === '') throw new Error('UID cannot be an empty string');
  return userUid === undefined ? { name, groups } : { name, groups, uid: userUid };
}

/** When a certificate stops being good, in ms since the epoch (RFC 5280 4.1.2.5). */
export function certificateEndMs(certificate: Uint8Array): number {
  const [body] = readDerChildren(readDer(certificate));
  const fields = readDerChildren(body!);
  const [, notAfter] = readDerChildren(fields[fields[0]!.tag === 0xa0 ? 4 : 3]!);
  const digits = notAfter!.content.toString('latin1');
  const year = digits.length === 13 ? `${Number(digits.slice(0, 2)) < 50 ? '20' : '19'}${digits}` : digits;
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(year) ?? [];
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
}
