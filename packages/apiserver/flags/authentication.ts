import { boolean, durationMs, list, optional, text, textOr, texts } from './flag.ts';
import { readKubeconfig } from '../outbound/kubeconfig.ts';
import { authoritiesOf } from '../authentication/client-certificate.ts';
import { fileOf, FlagError, liveFileOf, flagGroup, withFlag } from './group.ts';
import { oidcFlags, structuredOf } from './oidc.ts';
import { requestHeaderOf } from './request-header.ts';

/** Who asks: certificates, tokens, nobody. */
export const authenticationFlags = flagGroup({
  title: 'authentication',
  flags: {
    'anonymous-auth': optional(boolean('serve requests without credentials', true)),
    'api-audiences': list('<list>', 'audiences of tokens', 'the issuer'),
    'client-ca-file': text('<file>', 'certificate authorities of clients (PEM)'),
    'authentication-config': text('<file>', 'AuthenticationConfiguration: JWT issuers, and who may be anonymous'),
    'authentication-token-webhook-config-file': text('<file>', 'kubeconfig of a webhook that knows tokens'),
    'authentication-token-webhook-version': textOr(
      '<version>',
      'version of the TokenReview that it is sent',
      'v1beta1',
    ),
    'authentication-token-webhook-cache-ttl': durationMs('how long its answers are remembered', '2m0s'),
    ...oidcFlags,
    'enable-bootstrap-token-auth': boolean('let nodes join by tokens of Secrets in kube-system', false),
    'requestheader-client-ca-file': text('<file>', 'certificate authorities of front proxies (PEM)'),
    'requestheader-allowed-names': list('<list>', 'common names of front proxies (default: all that it signed)'),
    'requestheader-username-headers': list('<list>', 'headers with the name of the user, such as X-Remote-User'),
    'requestheader-uid-headers': list('<list>', 'headers with the uid of the user, such as X-Remote-Uid'),
    'requestheader-group-headers': list('<list>', 'headers with groups of the user, such as X-Remote-Group'),
    'requestheader-extra-headers-prefix': list('<list>', 'what headers with more of the user begin with'),
    'service-account-extend-token-expiration': boolean('mounted tokens are good for a year', true),
    'service-account-lookup': boolean('tokens of Secrets end with their Secret', true),
    'service-account-max-token-expiration': durationMs('longest lifetime of tokens (0: no limit)', '0s'),
    'service-account-issuer': texts('<url>', 'issuer of service account tokens; the first one signs'),
    'service-account-jwks-uri': text('<url>', 'where others find the keys (default: at this server)'),
    'service-account-key-file': texts('<file>', 'key that verifies service account tokens (PEM)'),
    'service-account-signing-endpoint': text('<socket>', 'program outside that signs service account tokens'),
    'service-account-signing-key-file': text('<file>', 'key that signs service account tokens (PEM)'),
    'token-auth-file': text('<file>', 'CSV of static tokens: token,user,uid,"group,group"'),
  },
  toOptions: (values) => ({
    security: {
      bootstrapTokens: values['enable-bootstrap-token-auth'],
      requestHeader: requestHeaderOf(values),
      serviceAccountExtendsTokens: values['service-account-extend-token-expiration'],
      serviceAccountLookup: values['service-account-lookup'],
      serviceAccountMaxTokenLifetimeSeconds: lifetimeMax(values['service-account-max-token-expiration']),
      ...structuredOf(values),
      tokenWebhook: webhookOf(values),
      apiAudiences: values['api-audiences'],
      clientCa: liveFileOf('client-ca-file', values['client-ca-file'], authoritiesOf),
      serviceAccountIssuers: values['service-account-issuer'].length > 0 ? values['service-account-issuer'] : undefined,
      jwksUri: values['service-account-jwks-uri'],
      serviceAccountKeys: values['service-account-key-file'].map((file) => fileOf('service-account-key-file', file)),
      ...signingKey(values['service-account-signing-key-file']),
      serviceAccountSigningEndpoint: endpointOf(values),
      tokenFile: fileOf('token-auth-file', values['token-auth-file']),
    },
  }),
});

const signingKey = (file: string | undefined): { serviceAccountSigningKey?: string } =>
  file === undefined ? {} : { serviceAccountSigningKey: fileOf('service-account-signing-key-file', file) };

const hourMs = 3_600_000;

function lifetimeMax(ms: number): number {
  const [least, most] = [hourMs, 2 ** 32 * 1000];
  if (ms !== 0 && (ms < least || ms > most)) {
    throw new FlagError('service-account-max-token-expiration', 'must be between 1 hour and 2^32 seconds');
  }
  return ms / 1000;
}

function webhookOf(values: {
  readonly 'authentication-token-webhook-config-file': string | undefined;
  readonly 'authentication-token-webhook-version': string;
  readonly 'authentication-token-webhook-cache-ttl': number;
}) {
  const file = values['authentication-token-webhook-config-file'];
  if (file === undefined) return undefined;
  const version = values['authentication-token-webhook-version'];
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new FlagError('authentication-token-webhook-version', `${JSON.stringify(version)} is neither v1 nor v1beta1`);
  }
  const cacheMs = values['authentication-token-webhook-cache-ttl'];
  const kubeconfig = withFlag('authentication-token-webhook-config-file', () => readKubeconfig(file).destination());
  return { destination: kubeconfig, version: version as 'v1' | 'v1beta1', cacheMs };
}

function endpointOf(values: {
  readonly 'service-account-signing-endpoint': string | undefined;
  readonly 'service-account-signing-key-file': string | undefined;
  readonly 'service-account-key-file': readonly string[];
}): string | undefined {
  const endpoint = values['service-account-signing-endpoint'];
  const hasKeys =
    values['service-account-signing-key-file'] !== undefined || values['service-account-key-file'].length > 0;
  if (endpoint === undefined || !hasKeys) return endpoint;
  const why = 'cannot be set together with service-account-signing-key-file or service-account-key-file';
  throw new FlagError('service-account-signing-endpoint', why);
}
