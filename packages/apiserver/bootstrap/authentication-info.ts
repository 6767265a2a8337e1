import type { KubernetesObject, Transport } from '@kubernode/api';
import type { RequestHeaderOptions } from '../authentication/request-header.ts';
import { textOf, type Text } from '../component-config/live-text.ts';
import type { ClusterState } from '../seams.ts';
import { asServer } from './facts.ts';
import { createOne } from './objects.ts';

export interface AuthenticationInfo {
  /** PEM of the authorities of client certificates. */
  readonly clientCa?: Text | undefined;
  /** Front proxies, and what they say who asks by. */
  readonly requestHeader?: RequestHeaderOptions | undefined;
}

export const authenticationInfoName = 'extension-apiserver-authentication';

/** Calls back when there are other authorities. */
export function onOtherAuthorities({ clientCa, requestHeader }: AuthenticationInfo, handler: () => void): void {
  for (const text of [clientCa, requestHeader?.clientCa]) if (typeof text === 'object') text.onChange(handler);
}

/** Tells extension API servers whom to trust: the ConfigMap in kube-system. What others added to it stays. */
export async function publishAuthenticationInfo(
  { clientCa, requestHeader }: AuthenticationInfo,
  state: ClusterState,
  transport: Transport,
): Promise<void> {
  if (!clientCa && !requestHeader) return;
  const metadata = { name: authenticationInfoName, namespace: 'kube-system' };
  const data: Record<string, string> = {
    ...(clientCa ? { 'client-ca-file': textOf(clientCa) } : {}),
    ...(requestHeader
      ? {
          'requestheader-client-ca-file': textOf(requestHeader.clientCa),
          'requestheader-allowed-names': JSON.stringify(requestHeader.allowedNames),
          'requestheader-extra-headers-prefix': JSON.stringify(requestHeader.extraHeaderPrefixes),
          'requestheader-group-headers': JSON.stringify(requestHeader.groupHeaders),
          'requestheader-uid-headers': JSON.stringify(requestHeader.uidHeaders),
          'requestheader-username-headers': JSON.stringify(requestHeader.usernameHeaders),
        }
      : {}),
  };
  const known = state.get('', 'configmaps', metadata.name, metadata.namespace) as
    | { data?: Readonly<Record<string, string>> }
    | undefined;
  if (!known) return createOne(transport, '/api/v1/configmaps', { metadata, data } as unknown as KubernetesObject);
  if (Object.entries(data).every(([key, value]) => known.data?.[key] === value)) return;
  await transport.request({
    method: 'PATCH',
    query: asServer,
    path: `/api/v1/namespaces/kube-system/configmaps/${metadata.name}`,
    contentType: 'application/merge-patch+json',
    body: { data },
  });
}
