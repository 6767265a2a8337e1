import {
  readAuthenticationConfiguration,
  type AuthenticationConfiguration,
  type JwtAuthenticator,
} from '../authentication/oidc/configuration.ts';
import { signingAlgorithms } from '../authentication/oidc/signatures.ts';
import type { AuthenticationOptions } from '../authentication/compose.ts';
import { list, text, textOr, texts } from './flag.ts';
import { fileOf, FlagError, withFlag } from './group.ts';

/** One OpenID issuer by flags; `--authentication-config` says the same of many. */
export const oidcFlags = {
  'oidc-issuer-url': text('<url>', 'OpenID issuer whose tokens are good, https only'),
  'oidc-client-id': text('<id>', 'client that its tokens are for'),
  'oidc-ca-file': text('<file>', "authorities of the issuer's certificate (PEM; default: the system's)"),
  'oidc-username-claim': textOr('<claim>', 'claim that is the name of the user', 'sub'),
  'oidc-username-prefix': text('<prefix>', "put before names; '-' for none (default: the issuer's URL and '#')"),
  'oidc-groups-claim': text('<claim>', 'claim that is the groups of the user'),
  'oidc-groups-prefix': text('<prefix>', 'put before groups'),
  'oidc-signing-algs': list('<list>', 'algorithms of signatures', 'RS256'),
  'oidc-required-claim': texts('<claim=value>', 'what a token must say'),
};

interface OidcValues {
  readonly 'authentication-config': string | undefined;
  readonly 'anonymous-auth': boolean | undefined;
  readonly 'oidc-issuer-url': string | undefined;
  readonly 'oidc-client-id': string | undefined;
  readonly 'oidc-ca-file': string | undefined;
  readonly 'oidc-username-claim': string;
  readonly 'oidc-username-prefix': string | undefined;
  readonly 'oidc-groups-claim': string | undefined;
  readonly 'oidc-groups-prefix': string | undefined;
  readonly 'oidc-signing-algs': readonly string[] | undefined;
  readonly 'oidc-required-claim': readonly string[];
}

/** JWT issuers and who may be anonymous, of the file or of the flags; not both. Throws FlagError. */
export function structuredOf(values: OidcValues): Pick<AuthenticationOptions, 'structured' | 'anonymous'> {
  const path = values['authentication-config'];
  const oidc = oidcAuthenticator(values);
  if (path === undefined) {
    const algorithms = algorithmsOf(values['oidc-signing-algs'] ?? ['RS256']);
    const structured = oidc && { configuration: { jwt: [oidc] }, algorithms };
    return { structured, anonymous: values['anonymous-auth'] };
  }
  if (oidc)
    throw new FlagError('authentication-config', 'authentication-config file and oidc-* flags are mutually exclusive');
  const file = { path, text: fileOf('authentication-config', path) };
  const configuration = withFlag('authentication-config', () => readAuthenticationConfiguration(file.text));
  const anonymous = anonymousOf(configuration, values['anonymous-auth']);
  return { structured: { configuration, file, algorithms: signingAlgorithms }, anonymous };
}

function anonymousOf({ anonymous }: AuthenticationConfiguration, flag: boolean | undefined) {
  if (!anonymous) return flag;
  if (flag !== undefined) {
    const why =
      '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file';
    throw new FlagError('authentication-config', `anonymous: Forbidden: ${why}`);
  }
  const { enabled = false, conditions = [] } = anonymous;
  if (!enabled || conditions.length === 0) return enabled;
  return conditions.map(({ path = '' }) => path);
}

function oidcAuthenticator(values: OidcValues): JwtAuthenticator | undefined {
  const { 'oidc-issuer-url': url, 'oidc-client-id': client, 'oidc-username-claim': claim } = values;
  if (!url && !client) return undefined;
  if (!url || !client) {
    const flag = url ? 'oidc-client-id' : 'oidc-issuer-url';
    throw new FlagError(
      flag,
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    );
  }
  const given = values['oidc-username-prefix'];
  const prefix = given === '-' ? '' : (given ?? (claim === 'email' ? '' : `${url}#`));
  const groups = values['oidc-groups-claim'];
  const ca = fileOf('oidc-ca-file', values['oidc-ca-file']);
  return {
    issuer: { url, audiences: [client], ...(ca && { certificateAuthority: ca }) },
    claimMappings: {
      username: { claim, prefix },
      ...(groups && { groups: { claim: groups, prefix: values['oidc-groups-prefix'] ?? '' } }),
    },
    claimValidationRules: values['oidc-required-claim'].flatMap((part) => part.split(',')).map(requiredClaim),
  };
}

function requiredClaim(part: string): { claim: string; requiredValue: string } {
  const equals = part.indexOf('=');
  if (equals <= 0) throw new FlagError('oidc-required-claim', `${JSON.stringify(part)} is not of the form claim=value`);
  return { claim: part.slice(0, equals), requiredValue: part.slice(equals + 1) };
}

function algorithmsOf(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !(signingAlgorithms as readonly string[]).includes(name));
  if (unknown === undefined) return names;
  throw new FlagError('oidc-signing-algs', `oidc: unsupported signing alg: ${JSON.stringify(unknown)}`);
}
