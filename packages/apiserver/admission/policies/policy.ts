import type { KubernetesObject } from '@kubernode/api';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@kubernode/api/admissionregistration/v1';
import type { Attributes, ClusterState } from '../../seams.ts';
import { ExpressionCompiler } from '../expressions/compile.ts';
import { matchConditions, type MatchConditions } from '../expressions/match-conditions.ts';
import { CompiledObjects } from '../matching/compiled-objects.ts';
import { matcherOf, type Matcher } from '../matching/matcher.ts';
import { isExemptFromPolicies, isReview } from '../webhooks/exempt.ts';
import type { ParamKind, ParamRef } from './params.ts';

/** What validating and mutating policies have in common, made ready once. */
export interface Policy {
  readonly name: string;
  readonly failsOpen: boolean;
  readonly paramKind: ParamKind | undefined;
  readonly matches: Matcher;
  readonly conditions: MatchConditions | undefined;
  readonly compiler: ExpressionCompiler;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamRef | undefined;
  readonly matches: Matcher;
  /** Of validating policies: Deny, Warn, Audit. */
  readonly actions: readonly string[];
}

/** A policy and the bindings that put it in force: there is always one at least. */
export interface BoundPolicy<P extends Policy> {
  readonly policy: P;
  readonly bindings: readonly Binding[];
}

type PolicyObject = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
export type BindingObject = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

export function policyOf({ metadata, spec }: PolicyObject, state: ClusterState): Policy {
  const { paramKind, failurePolicy, matchConstraints, variables } = spec ?? {};
  const compiler = new ExpressionCompiler({ params: paramKind !== undefined }, variables ?? []);
  return {
    name: metadata.name,
    failsOpen: failurePolicy === 'Ignore',
    paramKind,
    matches: matcherOf(state, matchOptions(matchConstraints)),
    conditions: matchConditions(spec?.matchConditions, failurePolicy, compiler),
    compiler,
  };
}

export function bindingOf({ metadata, spec }: BindingObject, state: ClusterState): Binding {
  const { policyName = '', paramRef, matchResources } = spec ?? {};
  return {
    name: metadata.name,
    policyName,
    paramRef,
    matches: matcherOf(state, matchOptions(matchResources)),
    actions: (spec && 'validationActions' in spec && spec.validationActions) || [],
  };
}

function matchOptions(resources: MatchResources | undefined) {
  const { resourceRules, excludeResourceRules, namespaceSelector, objectSelector, matchPolicy } = resources ?? {};
  return {
    rules: resourceRules ?? [],
    excludeRules: excludeResourceRules ?? [],
    everythingWithoutRules: true,
    namespaceSelector,
    objectSelector,
    matchPolicy,
  };
}

/** All policies of one kind with their bindings. */
export interface PolicySource<P extends Policy> {
  /** Those that may be asked about such a resource, by their names. */
  policiesFor(attributes: Attributes): readonly BoundPolicy<P>[];
}

/** Policies that manifest files hold: in force beside those of the API, and about everything but reviews. */
export interface ManifestPolicies<P extends Policy> {
  readonly current: readonly BoundPolicy<P>[];
}

const none: readonly BoundPolicy<never>[] = [];

/** `resource`: `validatingadmissionpolicies` or `mutatingadmissionpolicies`; compiled anew where an object changed. */
export function policySource<P extends Policy>(
  state: ClusterState,
  resource: 'validatingadmissionpolicies' | 'mutatingadmissionpolicies',
  compile: (object: KubernetesObject) => P,
  manifests?: ManifestPolicies<P>,
): PolicySource<P> {
  const policies = new CompiledObjects(state, resource, compile);
  const bindings = new CompiledObjects(state, resource.replace('policies', 'policybindings'), (object) =>
    bindingOf(object as unknown as BindingObject, state),
  );
  let from: { policies: unknown; bindings: unknown; manifests: unknown } | undefined;
  let all: readonly BoundPolicy<P>[] = none;
  return {
    policiesFor(attributes) {
      const now = { policies: policies.all, bindings: bindings.all, manifests: manifests?.current ?? none };
      if (from?.policies !== now.policies || from.bindings !== now.bindings || from.manifests !== now.manifests) {
        all = [...now.manifests, ...bound(now.policies, now.bindings)];
        from = now;
      }
      if (all.length === 0 || isReview(attributes)) return none;
      return isExemptFromPolicies(attributes) ? now.manifests : all;
    },
  };
}

/** Without a binding a policy does nothing, and without its policy a binding. */
export function bound<P extends Policy>(policies: readonly P[], bindings: readonly Binding[]): BoundPolicy<P>[] {
  const byPolicy = Map.groupBy(bindings, ({ policyName }) => policyName);
  return policies.flatMap((policy) => {
    const own = byPolicy.get(policy.name);
    return own ? [{ policy, bindings: own }] : [];
  });
}
