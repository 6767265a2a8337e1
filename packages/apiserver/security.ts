import { featureGates, type Transport } from '@kubernode/api';
import type { Clock, Random } from '@kubernode/machinery';
import { composeAuthentication, type AuthenticationOptions } from './authentication/compose.ts';
import { createImpersonator } from './authentication/impersonation/impersonator.ts';
import { openIdDocuments } from './authentication/service-account/openid.ts';
import type { AdmissionConfiguration } from './admission/configuration/admission-configuration.ts';
import { admissionPlugins } from './admission/plugins.ts';
import type { TolerationSeconds } from './admission/pods/nodes-and-tolerations.ts';
import { checkNodeToken } from './admission/nodes/node-restriction.ts';
import { certificateRequester } from './admission/privileges/certificate-requester.ts';
import { rbacEscalation } from './admission/privileges/escalation.ts';
import { claimPermissions } from './authorization/claim-permissions.ts';
import { composeAuthorization, type AuthorizationOptions } from './authorization/compose.ts';
import { paramPermissions } from './authorization/param-permissions.ts';
import { createConnectors } from './connect/connectors.ts';
import type { KubeletTransport } from './connect/kubelet-transport.ts';
import { accessReviews } from './reviews/access-review.ts';
import { selfSubjectReview, selfSubjectRulesReview } from './reviews/self-reviews.ts';
import { checkNodeTokenAudience } from './reviews/node-token-audience.ts';
import { tokenRequest, type TokenRequestOptions } from './reviews/token-request.ts';
import { tokenReview } from './reviews/token-review.ts';
import type { Security, SecurityContext } from './options.ts';
import type { AdmissionPlugin, Authorizer, ClusterState } from './seams.ts';

/** What the server hands its security; without it, as in tests, nothing is counted and nobody outside is asked. */
type Surroundings = Partial<Pick<SecurityContext, 'metrics' | 'outbound' | 'isEnabled' | 'log' | 'signal'>>;

export interface SecurityOptions extends Surroundings, AuthenticationOptions, AuthorizationOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The server's own, as a user who may do everything; asked for when first needed. */
  readonly transport: () => Transport;
  /** How kubelets, pods and services are reached; without it logs, exec and their like are refused. */
  readonly kubeletTransport?: KubeletTransport | undefined;
  /** `--enable-admission-plugins` */
  readonly enableAdmissionPlugins?: readonly string[] | undefined;
  /** `--disable-admission-plugins` */
  readonly disableAdmissionPlugins?: readonly string[] | undefined;
  /** `--default-not-ready-toleration-seconds` and `--default-unreachable-toleration-seconds` */
  readonly defaultTolerationSeconds?: TolerationSeconds | undefined;
  /** `--admission-control-config-file` */
  readonly admissionConfiguration?: AdmissionConfiguration | undefined;
}

/**
 * Everything between a connection and the stores: who asks, may they, and what becomes of the object on its way in.
 * Throws where a key, the token file or an option cannot be used, with what was expected.
 */
export function createSecurity(options: SecurityOptions, state: ClusterState): Security {
  const { clock, metrics, isEnabled = featureGates() } = options;
  const authorization = composeAuthorization({ ...options, isEnabled }, state);
  const { authorize, rbac } = authorization;
  const identity = composeAuthentication({ ...options, isEnabled }, state);
  const { authentication, apiAudiences, issuers, keys } = identity;
  const restrict: TokenRequestOptions['restrict'] = async (request) => {
    checkNodeToken(request, state);
    if (isEnabled('ServiceAccountNodeAudienceRestriction')) await checkNodeTokenAudience(request, state, authorize);
  };
  return {
    authenticate: authentication.authenticate,
    impersonate: createImpersonator({
      clock,
      metrics,
      authorize,
      isConstrained: isEnabled('ConstrainedImpersonation'),
    }),
    authorize: authorization.authorizeRequest,
    admission: [
      certificateRequester(clock),
      paramPermissions(state, authorize),
      ...(isEnabled('DRAResourceClaimGranularStatusAuthorization')
        ? [claimPermissions(authorize, isEnabled('DRAResourceClaimDeviceStatus'))]
        : []),
      ...admissionOf(options, state, authorize),
      rbacEscalation(rbac, authorize),
    ],
    connectors: options.kubeletTransport ? createConnectors(state, options.kubeletTransport, options.random) : [],
    virtualResources: [
      ...accessReviews(authorize),
      selfSubjectRulesReview(authorization.rulesFor),
      selfSubjectReview(clock),
      tokenReview(authentication, apiAudiences),
      tokenRequest({
        clock,
        state,
        signer: identity.signer,
        apiAudiences,
        restrict,
        isEnabled,
        lifetimeSecondsMax: options.serviceAccountMaxTokenLifetimeSeconds,
        extendsMounted: options.serviceAccountExtendsTokens,
      }),
    ],
    documents: openIdDocuments(issuers[0]!, keys, options.jwksUri),
  };
}

function admissionOf(options: SecurityOptions, state: ClusterState, authorize: Authorizer): AdmissionPlugin[] {
  const { enableAdmissionPlugins: enable, disableAdmissionPlugins: disable } = options;
  const { admissionConfiguration: configuration } = options;
  return admissionPlugins(state, { ...options, authorize, enable, disable, configuration });
}
