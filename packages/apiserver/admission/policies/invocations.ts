import { table } from '@kubernode/machinery';
import { StatusError, type KubernetesObject } from '@kubernode/api';
import type { AdmissionRequest } from '../../seams.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import { collectParams, type ParamKind } from './params.ts';
import type { Binding, BoundPolicy, Policy } from './policy.ts';

/** A policy that is for a request, by a binding, with each of the params that the binding names. */
export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  readonly version: ReviewedVersion;
  readonly params: readonly (KubernetesObject | undefined)[];
}

/** A policy or binding that is for a request, and cannot be carried out. */
export interface Misconfiguration<P extends Policy> {
  readonly policy: P;
  /** Undefined where the policy itself is at fault. */
  readonly binding: Binding | undefined;
  readonly message: string;
}

export interface Matched<P extends Policy> {
  readonly invocations: readonly Invocation<P>[];
  readonly misconfigurations: readonly Misconfiguration<P>[];
}

/** What of all policies is for a request; undefined for nothing, which is told without any waiting. */
export function matchPolicies<P extends Policy>(
  policies: readonly BoundPolicy<P>[],
  request: AdmissionRequest,
): Matched<P> | undefined {
  const invocations: Invocation<P>[] = [];
  const misconfigurations: Misconfiguration<P>[] = [];
  for (const bound of policies) {
    const { policy } = bound;
    const attempt = <T>(binding: Binding | undefined, run: () => T): T | undefined => {
      try {
        return run();
      } catch (error) {
        const what = binding ? 'binding' : 'policy';
        const message = `failed to configure ${what}: ${(error as Error).message}`;
        misconfigurations.push({ policy, binding, message });
        return undefined;
      }
    };
    const version = attempt(undefined, () => matchedVersion(policy, request));
    if (!version) continue;
    for (const binding of bound.bindings) {
      const params = attempt(binding, () => paramsFor(policy, binding, request));
      if (params) invocations.push({ policy, binding, version, params });
    }
  }
  return invocations.length + misconfigurations.length > 0 ? { invocations, misconfigurations } : undefined;
}

function matchedVersion(policy: Policy, request: AdmissionRequest): ReviewedVersion | undefined {
  const version = policy.matches(request);
  if (version) checkParamKind(policy.paramKind, request);
  return version;
}

function checkParamKind(paramKind: ParamKind | undefined, { review }: AdmissionRequest): void {
  if (!paramKind) return;
  const { apiVersion = '', kind = '' } = paramKind;
  if (review?.objects.find(apiVersion, kind)) return;
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw new Error(`failed to find resource referenced by paramKind: '${groupVersion}, Kind=${kind}'`);
}

/** Undefined where the binding is not for the request. */
function paramsFor(policy: Policy, binding: Binding, request: AdmissionRequest) {
  if (!binding.matches(request)) return undefined;
  const { objects, namespace } = request.review!;
  return collectParams(objects, policy.paramKind, binding.paramRef, namespace);
}

/** The failures that count: those of policies that do not ignore them. */
export const counting = <P extends Policy>(misconfigurations: readonly Misconfiguration<P>[]) =>
  misconfigurations.filter(({ policy }) => !policy.failsOpen);

/** As the reason of the refusal tells. */
export const codeOfReason = (reason: string): number => codes[reason] ?? 422;
const codes: Readonly<Record<string, number>> = table({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});

/** A refusal with another reason, code and message. */
export function refusedAs(
  refusal: StatusError,
  changes: { reason?: string; code?: number; message?: string; causes: readonly string[] },
): StatusError {
  const { status } = refusal;
  const { causes, ...rest } = changes;
  const details = { ...status.details, causes: causes.map((message) => ({ message })) };
  return new StatusError({ ...status, ...rest, details });
}
