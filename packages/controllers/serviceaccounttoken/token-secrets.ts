import { isReason } from '@kubernode/api';
import type { TokenRequest } from '@kubernode/api/authentication/v1';
import { Secret, ServiceAccount } from '@kubernode/api/core/v1';
import { controller, keyOf, mapped, runController, subresource, type ReconcileContext } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';

const name = 'serviceaccount-token-controller';
const secretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const byAccount = 'service-account';
/** A hundred years: such a token ends with its Secret, to which it is bound. */
const expirationSeconds = 3_155_760_000;

/** Fills Secrets that ask for the token of a service account, and deletes them with the account. */
export const tokenSecretsController: BuiltInController = {
  name,
  serviceAccount: null,
  start: (context) => runController(declaration(context.rootCa), context),
};

function declaration(rootCa: string | undefined) {
  return controller<Secret>({
    name,
    reconciles: Secret,
    watches: [
      mapped(ServiceAccount, (account, { informer }) => {
        informer(Secret).addIndex(byAccount, accountKeyOf);
        return informer(Secret).byIndex(byAccount, keyOf(account)).map(keyOf);
      }),
    ],
    writes: [Secret, subresource(ServiceAccount, 'token')],
    filter: ({ type }) => type === secretType,
    async reconcile(secret, context) {
      const accountName = secret.metadata.annotations?.[nameAnnotation];
      if (secret.type !== secretType || !accountName || secret.metadata.deletionTimestamp) return;
      const account = await accountOf(accountName, context);
      const uid = secret.metadata.annotations?.[uidAnnotation];
      if (!account || (uid && uid !== account.metadata.uid)) return remove(secret, context);
      await fill(secret, account, rootCa, context);
    },
  });
}

function accountKeyOf({ type, metadata }: Secret): string[] {
  const accountName = metadata.annotations?.[nameAnnotation];
  return type === secretType && accountName ? [`${metadata.namespace}/${accountName}`] : [];
}

/** The local copy may lag: only the server knows that an account is not there. */
async function accountOf(
  accountName: string,
  { informer, client, namespace }: ReconcileContext,
): Promise<ServiceAccount | undefined> {
  const known = informer(ServiceAccount).get(accountName, namespace);
  if (known) return known;
  return client.get(ServiceAccount, accountName, namespace).catch((error: unknown) => {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  });
}

async function remove({ metadata }: Secret, { client, namespace }: ReconcileContext): Promise<void> {
  const preconditions = { uid: metadata.uid };
  await client.delete(Secret, { name: metadata.name, namespace }, { preconditions }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound', 'Conflict')) throw error;
  });
}

async function fill(
  secret: Secret,
  { metadata: account }: ServiceAccount,
  rootCa: string | undefined,
  { client, namespace }: ReconcileContext,
): Promise<void> {
  const { data = {}, metadata } = secret;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const wanted = {
    ...data,
    namespace: data['namespace'] ?? base64(namespace),
    ...(rootCa === undefined ? {} : { 'ca.crt': base64(rootCa) }),
  };
  const isFilled = data['token'] && metadata.annotations?.[uidAnnotation] === account.uid;
  if (isFilled && data['namespace'] && data['ca.crt'] === wanted['ca.crt']) return;
  const token = data['token'] ?? base64(await newToken(secret, account.name, client));
  const annotations = { ...metadata.annotations, [uidAnnotation]: account.uid };
  await client.update(Secret, { ...secret, metadata: { ...metadata, annotations }, data: { ...wanted, token } });
}

async function newToken(
  { metadata }: Secret,
  accountName: string,
  client: ReconcileContext['client'],
): Promise<string> {
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: metadata.name, uid: metadata.uid };
  const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const body = { ...type, spec: { expirationSeconds, boundObjectRef } };
  const target = { name: accountName, namespace: metadata.namespace };
  const { status } = await client.subresource<TokenRequest>('POST', ServiceAccount, target, 'token', body);
  return status.token;
}
