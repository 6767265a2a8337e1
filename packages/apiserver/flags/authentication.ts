import { boolean, durationMs, list, text, texts } from './flag.ts';
import { fileOf, FlagError, flagGroup } from './group.ts';
import { requestHeaderOf } from './request-header.ts';

/** Who asks: certificates, tokens, nobody. */
export const authenticationFlags = flagGroup({
  title: 'authentication',
  flags: {
    'anonymous-auth': boolean('serve requests without credentials', true),
    'api-audiences': list('<list>', 'audiences of tokens', 'the issuer'),
    'client-ca-file': text('<file>', 'certificate authorities of clients (PEM)'),
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
    'service-account-jwks-uri': text('<url>', "where others find the keys (default: below the first issuer's URL)"),
    'service-account-key-file': texts('<file>', 'key that verifies service account tokens (PEM)'),
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
      anonymous: values['anonymous-auth'],
      apiAudiences: values['api-audiences'],
      clientCa: fileOf('client-ca-file', values['client-ca-file']),
      serviceAccountIssuers: values['service-account-issuer'].length > 0 ? values['service-account-issuer'] : undefined,
      jwksUri: values['service-account-jwks-uri'],
      serviceAccountKeys: values['service-account-key-file'].map((file) => fileOf('service-account-key-file', file)),
      ...signingKey(values['service-account-signing-key-file']),
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
