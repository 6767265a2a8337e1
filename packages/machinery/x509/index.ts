export { newKeyPair, newPrivateKey, signCertificate, type CertificateRequest, type KeyPair } from './certificate.ts';
export { readDer, readDerChildren, readDerOid, type DerNode } from './der.ts';
