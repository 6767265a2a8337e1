import type { IsEnabled, Transport, User } from '@kubernode/api';
import type { Clock, Logger } from '@kubernode/machinery';
import { textOf, type Text } from '../component-config/live-text.ts';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { ClusterState } from '../seams.ts';
import { createAuthentication, type AnonymousAccess, type Authentication } from './authenticator.ts';
import { bootstrapTokens } from './bootstrap-tokens.ts';
import { authoritiesOf, certificateAuthenticator } from './client-certificate.ts';
import { authenticated } from './groups.ts';
import { authenticationMetrics } from './metrics.ts';
import { audienceAgnostic, tokenUnion, type TokenAuthenticator } from './outcome.ts';
import { requestHeaderAuthenticator, type RequestHeaderOptions } from './request-header.ts';
import { boundTokens } from './service-account/bound-tokens.ts';
import { externalSigner, type ExternalSigner } from './service-account/external-signer.ts';
import { signingKey, verificationKey } from './service-account/jwt.ts';
import { staticKeys, type TokenKeys } from './service-account/keys.ts';
import { legacyTokens } from './service-account/legacy-tokens.ts';
import { serviceAccountMetrics } from './service-account/metrics.ts';
import { SecretUse } from './service-account/secret-use.ts';
import { localSigner, type TokenSigner } from './service-account/signer.ts';
import { oidcMetrics } from './oidc/metrics.ts';
import { structuredAuthentication, type StructuredOptions } from './oidc/structured.ts';
import { cachedTokens } from './token-cache.ts';
import { parseTokenFile } from './token-file.ts';
import { webhookTokens, type WebhookTokenOptions } from './webhook-tokens.ts';

export interface AuthenticationOptions {
  /** PEM of the private key that signs service account tokens: `--service-account-signing-key-file`. */
  readonly serviceAccountSigningKey: string;
  /** `--service-account-signing-endpoint`: a unix socket; then no key of our own signs or verifies. */
  readonly serviceAccountSigningEndpoint?: string | undefined;
  /** PEM, public or private: `--service-account-key-file`. The signing key's own is always good. */
  readonly serviceAccountKeys?: readonly string[] | undefined;
  /** `--service-account-issuer`; the first is written into tokens. */
  readonly serviceAccountIssuers?: readonly string[] | undefined;
  /** `--service-account-lookup`, default true: tokens of Secrets end with them. */
  readonly serviceAccountLookup?: boolean | undefined;
  /** `--service-account-max-token-expiration`. */
  readonly serviceAccountMaxTokenLifetimeSeconds?: number | undefined;
  /** `--service-account-extend-token-expiration`, default true. */
  readonly serviceAccountExtendsTokens?: boolean | undefined;
  /** `--service-account-jwks-uri`; default: at this server. */
  readonly jwksUri?: string | undefined;
  /** `--api-audiences`; default: the issuers. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** `--enable-bootstrap-token-auth` */
  readonly bootstrapTokens?: boolean | undefined;
  /** The text of `--token-auth-file`. */
  readonly tokenFile?: string | undefined;
  /** Users with their tokens, beside those of the token file. */
  readonly tokens?: ReadonlyMap<string, User> | undefined;
  /** `--authentication-config`, read and with its file, which is followed; or what the `--oidc-*` flags say. */
  readonly structured?: Pick<StructuredOptions, 'configuration' | 'file' | 'algorithms'> | undefined;
  /** `--authentication-token-webhook-*`. */
  readonly tokenWebhook?: Pick<WebhookTokenOptions, 'destination' | 'version' | 'cacheMs'> | undefined;
  /** `--anonymous-auth`, default true; or the paths that need no credentials. */
  readonly anonymous?: AnonymousAccess | undefined;
  /** `--client-ca-file`: PEM of the authorities of clients. TLS must trust them too. */
  readonly clientCa?: Text | undefined;
  /** `--requestheader-*`: front proxies. TLS must trust their authority too. */
  readonly requestHeader?: RequestHeaderOptions | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly transport: () => Transport;
  readonly isEnabled: IsEnabled;
  readonly metrics?: MetricsRegistry | undefined;
  readonly log?: Logger | undefined;
  readonly outbound?: Outbound | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Who asks, and what else needs to know of keys and audiences. */
export interface Identity {
  readonly authentication: Authentication;
  readonly signer: TokenSigner;
  readonly keys: TokenKeys;
  readonly issuers: readonly string[];
  readonly apiAudiences: readonly string[];
}

const defaultIssuer = 'https://kubernetes.default.svc';

/** Puts together what the options ask for, in kube-apiserver's order. Throws where a key or a file cannot be used. */
export function composeAuthentication(options: AuthenticationOptions & Surroundings, state: ClusterState): Identity {
  const { clock, isEnabled, requestHeader } = options;
  const issuers = options.serviceAccountIssuers ?? [defaultIssuer];
  const apiAudiences = options.apiAudiences ?? issuers;
  const { keys, signer } = signerOf(options, issuers[0]!);
  if (requestHeader) refuseOverlap(requestHeader, options.clientCa);
  const authentication = createAuthentication({
    proxies: requestHeader ? [requestHeaderAuthenticator(requestHeader)] : [],
    certificates: certificateAuthenticator({
      clock,
      // Where proxies have an authority of their own, TLS trusts both: who signed matters then. Connections last longer
      // than the trust in who may be trusted no more.
      authorities: requestHeader || typeof options.clientCa === 'object' ? options.clientCa : undefined,
      readsUid: isEnabled('AllowParsingUserUIDFromCertAuth'),
    }),
    tokens: tokenUnion(tokenWays({ ...options, apiAudiences }, state, { keys, issuers })),
    apiAudiences,
    anonymous: options.anonymous ?? true,
    metrics: options.metrics && authenticationMetrics(options.metrics, clock),
  });
  return { authentication, signer, keys, issuers, apiAudiences };
}

/** A program outside, or a key of our own. */
function signerOf(options: AuthenticationOptions & Surroundings, issuer: string): ExternalSigner {
  const { clock, log, serviceAccountSigningEndpoint: endpoint } = options;
  const hasId = options.isEnabled('ServiceAccountTokenJTI');
  if (endpoint !== undefined) {
    const signal = options.signal ?? new AbortController().signal;
    return externalSigner({ endpoint, issuer, clock, hasId, signal, log });
  }
  const signing = signingKey(options.serviceAccountSigningKey);
  const others = (options.serviceAccountKeys ?? []).map(verificationKey);
  const keys = staticKeys([signing, ...others.filter((key) => key.keyId !== signing.keyId)]);
  return { keys, signer: localSigner({ clock, signingKey: signing, issuer, hasId }) };
}

/** Where users and proxies have the same authority, any user could speak for others, unless proxies are named. */
function refuseOverlap({ clientCa, allowedNames }: RequestHeaderOptions, ofUsers: Text | undefined): void {
  if (allowedNames.length > 0 || !ofUsers) return;
  const users = new Set(authoritiesOf(textOf(ofUsers)).map(({ fingerprint256 }) => fingerprint256));
  if (!authoritiesOf(textOf(clientCa)).some(({ fingerprint256 }) => users.has(fingerprint256))) return;
  throw new Error(
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

type TokenWays = AuthenticationOptions & Surroundings & { readonly apiAudiences: readonly string[] };

function tokenWays(
  options: TokenWays,
  state: ClusterState,
  { keys, issuers }: Pick<Identity, 'keys' | 'issuers'>,
): TokenAuthenticator[] {
  const { clock, apiAudiences, isEnabled, transport, log } = options;
  const metrics = options.metrics && serviceAccountMetrics(options.metrics);
  const secretUse = new SecretUse({ clock, transport, log, metrics });
  const common = { clock, state, keys, apiAudiences, metrics, secretUse };
  const looksUp = options.serviceAccountLookup ?? true;
  return [
    audienceAgnostic(apiAudiences, staticTokens(options)),
    legacyTokens({ ...common, looksUp }),
    boundTokens({ ...common, issuers, isEnabled }),
    ...(options.bootstrapTokens ? [audienceAgnostic(apiAudiences, bootstrapTokens(state, clock))] : []),
    ...outsideWays(options, issuers),
  ];
}

/** How long what others said of a token is good, whatever they are (kube-apiserver, TokenSuccessCacheTTL). */
const outsideSuccessMs = 10_000;

/** Those that ask somebody else: issuers for their keys, and a webhook. */
function outsideWays(options: TokenWays, disallowedIssuers: readonly string[]): TokenAuthenticator[] {
  const { clock, apiAudiences, outbound, structured, tokenWebhook, log, isEnabled, metrics } = options;
  if (!structured && !tokenWebhook) return [];
  if (!outbound) throw new Error('authentication by others was asked for, but there is no way to servers outside');
  const ways: TokenAuthenticator[] = [];
  const signal = options.signal ?? new AbortController().signal;
  if (structured) {
    const own = { outbound, clock, signal, log, isEnabled, disallowedIssuers };
    const jwt = structuredAuthentication({ ...own, ...structured, metrics: metrics && oidcMetrics(metrics, clock) });
    ways.push(audienceAgnostic(apiAudiences, jwt));
  }
  if (tokenWebhook) ways.push(webhookTokens({ outbound, clock, apiAudiences, ...tokenWebhook }));
  return [cachedTokens({ clock, successMs: outsideSuccessMs, failureMs: 0 }, tokenUnion(ways))];
}

function staticTokens(options: AuthenticationOptions): TokenAuthenticator {
  const users = new Map([
    ...[...(options.tokens ?? [])].map(([token, user]) => [token, authenticated(user)] as const),
    ...parseTokenFile(options.tokenFile ?? ''),
  ]);
  return {
    identify(token, audiences) {
      const user = users.get(token);
      return user && { user, audiences };
    },
  };
}
