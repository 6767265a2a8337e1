import { readConfiguration } from '../../component-config/read.ts';

/** `AuthenticationConfiguration` of apiserver.config.k8s.io (KEP-3331), as its YAML says it. */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtAuthenticator[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

export interface JwtAuthenticator {
  readonly issuer?: Issuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings?: ClaimMappings;
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[];
}

export interface Issuer {
  readonly url?: string;
  readonly discoveryURL?: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface PrefixedClaim {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

export interface ClaimMappings {
  readonly username?: PrefixedClaim;
  readonly groups?: PrefixedClaim;
  readonly uid?: { readonly claim?: string; readonly expression?: string };
  readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[];
}

const prefixedClaim = { claim: null, prefix: null, expression: null };

const kind = {
  group: 'apiserver.config.k8s.io',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  kind: 'AuthenticationConfiguration',
  fields: {
    jwt: [
      {
        issuer: {
          url: null,
          discoveryURL: null,
          certificateAuthority: null,
          audiences: null,
          audienceMatchPolicy: null,
          egressSelectorType: null,
        },
        claimValidationRules: [{ claim: null, requiredValue: null, expression: null, message: null }],
        claimMappings: {
          username: prefixedClaim,
          groups: prefixedClaim,
          uid: { claim: null, expression: null },
          extra: [{ key: null, valueExpression: null }],
        },
        userValidationRules: [{ expression: null, message: null }],
      },
    ],
    anonymous: { enabled: null, conditions: [{ path: null }] },
  },
} as const;

/** Reads `--authentication-config`, without judging it. Throws Error. */
export const readAuthenticationConfiguration = (text: string): AuthenticationConfiguration =>
  readConfiguration<AuthenticationConfiguration>(text, kind);
