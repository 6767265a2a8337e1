import type { CertificationRequest } from './request.ts';

const nodesGroup = 'system:nodes';
const nodePrefix = 'system:node:';

export const signer = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
} as const;

export type SignerName = (typeof signer)[keyof typeof signer];

export function isKnownSigner(name: string): name is SignerName {
  return (Object.values(signer) as string[]).includes(name);
}

/** Why a signer does not sign a request (the documented rules of each signer); undefined where it does. */
export function refusal(
  name: SignerName,
  request: CertificationRequest,
  usages: readonly string[] = [],
): string | undefined {
  switch (name) {
    case signer.client:
      return clientRefusal(usages);
    case signer.kubeletClient:
      return nodeRefusal(request) ?? noNames(request) ?? usagesRefusal(usages, 'client auth');
    case signer.kubeletServing:
      return nodeRefusal(request) ?? servingNames(request) ?? usagesRefusal(usages, 'server auth');
  }
}

function clientRefusal(usages: readonly string[]): string | undefined {
  const allowed = ['digital signature', 'key encipherment', 'client auth'];
  const isFine = usages.includes('client auth') && usages.every((usage) => allowed.includes(usage));
  return isFine ? undefined : `invalid usages for client certificate: ${JSON.stringify(usages)}`;
}

function nodeRefusal({ commonName, organizations }: CertificationRequest): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== nodesGroup) return `subject organization is not ${nodesGroup}`;
  return commonName.startsWith(nodePrefix) ? undefined : `subject common name does not begin with ${nodePrefix}`;
}

function noNames(request: CertificationRequest): string | undefined {
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return neitherEmailNorUri(request);
}

function servingNames(request: CertificationRequest): string | undefined {
  if (request.dnsNames.length + request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  return neitherEmailNorUri(request);
}

function neitherEmailNorUri({ emailAddresses, uris }: CertificationRequest): string | undefined {
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;
}

/** Exactly these; only the encipherment of keys may be missing, as elliptic curves have none. */
function usagesRefusal(usages: readonly string[], purpose: 'client auth' | 'server auth'): string | undefined {
  const needed = ['digital signature', purpose];
  const others = usages.filter((usage) => !needed.includes(usage) && usage !== 'key encipherment');
  const isFine = needed.every((usage) => usages.includes(usage)) && others.length === 0;
  return isFine ? undefined : `usages did not match the expected set: ${JSON.stringify(usages)}`;
}
