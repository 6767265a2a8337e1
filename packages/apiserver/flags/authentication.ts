import { boolean, list, text, texts } from './flag.ts';
import { fileOf, flagGroup } from './group.ts';

/** Who asks: certificates, tokens, nobody. */
export const authenticationFlags = flagGroup({
  title: 'authentication',
  flags: {
    'anonymous-auth': boolean('serve requests without credentials', true),
    'api-audiences': list('<list>', 'audiences of tokens', 'the issuer'),
    'client-ca-file': text('<file>', 'certificate authorities of clients (PEM)'),
    'service-account-issuer': texts('<url>', 'issuer of service account tokens; the first one signs'),
    'service-account-jwks-uri': text('<url>', "where others find the keys (default: below the first issuer's URL)"),
    'service-account-key-file': texts('<file>', 'key that verifies service account tokens (PEM)'),
    'service-account-signing-key-file': text('<file>', 'key that signs service account tokens (PEM)'),
    'token-auth-file': text('<file>', 'CSV of static tokens: token,user,uid,"group,group"'),
  },
  toOptions: (values) => ({
    security: {
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
