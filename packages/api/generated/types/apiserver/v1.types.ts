// Generated from the facts by packages/api/generate; never edited.
import type { Duration } from '../../../scalars.ts';

export interface AESConfiguration {
  keys: Key[];
}

export interface AdmissionConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  plugins: AdmissionPluginConfiguration[];
}

export interface AdmissionPluginConfiguration {
  name: string;
  path: string;
  configuration?: unknown | undefined;
}

export interface AnonymousAuthCondition {
  path: string;
}

export interface AnonymousAuthConfig {
  enabled: boolean;
  conditions?: AnonymousAuthCondition[] | undefined;
}

export interface AuthenticationConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  jwt: JWTAuthenticator[];
  anonymous?: AnonymousAuthConfig | undefined;
}

export interface AuthorizationConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  authorizers: AuthorizerConfiguration[];
}

export interface AuthorizerConfiguration {
  type: string;
  name: string;
  webhook?: WebhookConfiguration | undefined;
}

export interface ClaimMappings {
  username: PrefixedClaimOrExpression;
  groups: PrefixedClaimOrExpression;
  uid: ClaimOrExpression;
  extra?: ExtraMapping[] | undefined;
}

export interface ClaimOrExpression {
  claim?: string | undefined;
  expression?: string | undefined;
}

export interface ClaimValidationRule {
  claim?: string | undefined;
  requiredValue?: string | undefined;
  expression?: string | undefined;
  message?: string | undefined;
}

export interface EncryptionConfiguration {
  resources: ResourceConfiguration[];
}

export interface ExtraMapping {
  key: string;
  valueExpression: string;
}

export interface IdentityConfiguration {
}

export interface Issuer {
  url: string;
  discoveryURL?: string | undefined;
  certificateAuthority?: string | undefined;
  audiences: string[];
  audienceMatchPolicy?: string | undefined;
  egressSelectorType?: string | undefined;
}

export interface JWTAuthenticator {
  issuer: Issuer;
  claimValidationRules?: ClaimValidationRule[] | undefined;
  claimMappings: ClaimMappings;
  userValidationRules?: UserValidationRule[] | undefined;
}

export interface KMSConfiguration {
  apiVersion: string;
  name: string;
  cachesize?: number | undefined;
  endpoint: string;
  timeout?: Duration | undefined;
}

export interface Key {
  name: string;
  secret: string;
}

export interface PrefixedClaimOrExpression {
  claim?: string | undefined;
  prefix?: string | undefined;
  expression?: string | undefined;
}

export interface ProviderConfiguration {
  aesgcm?: AESConfiguration | undefined;
  aescbc?: AESConfiguration | undefined;
  secretbox?: SecretboxConfiguration | undefined;
  identity?: IdentityConfiguration | undefined;
  kms?: KMSConfiguration | undefined;
}

export interface ResourceConfiguration {
  resources: string[];
  providers: ProviderConfiguration[];
}

export interface SecretboxConfiguration {
  keys: Key[];
}

export interface TracingConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  endpoint?: string | undefined;
  samplingRatePerMillion?: number | undefined;
}

export interface UserValidationRule {
  expression: string;
  message?: string | undefined;
}

export interface WebhookConfiguration {
  authorizedTTL: Duration;
  cacheAuthorizedRequests?: boolean | undefined;
  unauthorizedTTL: Duration;
  cacheUnauthorizedRequests?: boolean | undefined;
  timeout: Duration;
  subjectAccessReviewVersion: string;
  matchConditionSubjectAccessReviewVersion: string;
  failurePolicy: string;
  connectionInfo: WebhookConnectionInfo;
  matchConditions: WebhookMatchCondition[];
}

export interface WebhookConnectionInfo {
  type: string;
  kubeConfigFile?: string | undefined;
}

export interface WebhookMatchCondition {
  expression: string;
}
