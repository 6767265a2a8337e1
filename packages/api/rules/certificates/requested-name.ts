import { readDer, readDerChildren, readDerOid } from '@kubernode/machinery/x509';
import { pemBlocks } from './pem.ts';
import { readSignedRequest } from './request.ts';

const commonNameOid = '2.5.4.3';

/** The common name (the last of several, or '') that spec.request asks for; throws an Error where it is no request. */
export function requestedCommonName(base64: string): string {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  readSignedRequest(block.bytes);
  const [info] = readDerChildren(readDer(block.bytes));
  const subject = info && readDerChildren(info)[1];
  if (!subject) throw new Error('asn1: structure error');
  let name = '';
  for (const set of readDerChildren(subject)) {
    for (const attribute of readDerChildren(set)) {
      const [type, value] = readDerChildren(attribute);
      if (type && value && readDerOid(type.content) === commonNameOid) name = value.content.toString('utf8');
    }
  }
  return name;
}
