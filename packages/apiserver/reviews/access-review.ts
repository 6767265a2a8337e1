import { StatusError, type FieldCause, type User } from '@kubernode/api';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '@kubernode/api/authorization/v1';
import type { Attributes, Authorizer, VirtualRequest, VirtualResource } from '../seams.ts';
import { selectorCauses, selectorProblems, selectorText } from './selectors.ts';

const group = 'authorization.k8s.io';

/** May this user do that? Asked of others, of others in one namespace, and of oneself. */
export function accessReviews(authorize: Authorizer): VirtualResource[] {
  const resource = (plural: string, kind: string, create: VirtualResource['create']): VirtualResource => ({
    group,
    version: 'v1',
    resource: plural,
    subresource: '',
    kind,
    create,
  });
  const answer = async (review: object, user: User, spec: AccessSpec) => {
    const decision = await authorize(user, attributesOf(spec));
    const { allowed, reason } = decision;
    const status: SubjectAccessReviewStatus = { allowed, ...(reason ? { reason } : {}) };
    if (!decision.allowed && decision.denied) status.denied = true;
    if (!decision.allowed && decision.error !== undefined) status.evaluationError = decision.error;
    const evaluationError = spec.resourceAttributes && selectorProblems(spec.resourceAttributes);
    if (evaluationError) status.evaluationError = evaluationError;
    return { ...review, status };
  };
  return [
    resource('subjectaccessreviews', 'SubjectAccessReview', ({ object }) => {
      const review = object as SubjectAccessReview;
      refuseInvalid('SubjectAccessReview', '', [...subjectCauses(review.spec), ...specCauses(review.spec)]);
      return answer(review, subjectOf(review.spec), review.spec);
    }),
    resource('localsubjectaccessreviews', 'LocalSubjectAccessReview', ({ object, attributes }) => {
      const review = object as LocalSubjectAccessReview;
      const causes = localCauses(review, attributes.namespace);
      refuseInvalid('LocalSubjectAccessReview', review.metadata.name ?? '', causes);
      return answer(review, subjectOf(review.spec), review.spec);
    }),
    resource('selfsubjectaccessreviews', 'SelfSubjectAccessReview', ({ object, user }: VirtualRequest) => {
      const review = object as SelfSubjectAccessReview;
      refuseInvalid('SelfSubjectAccessReview', '', specCauses(review.spec));
      return answer(review, user, review.spec);
    }),
  ];
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: NonResourceAttributes | undefined;
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  const {
    verb = '',
    group: apiGroup = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes ?? {};
  const common = { verb, group: apiGroup, version: version || '*', resource, subresource, namespace, name };
  if (!resourceAttributes) {
    const { path = '', verb: plainVerb = '' } = nonResourceAttributes ?? {};
    return { ...common, verb: plainVerb, path };
  }
  return {
    ...common,
    path: '',
    fieldSelector: selectorText(resourceAttributes.fieldSelector),
    labelSelector: selectorText(resourceAttributes.labelSelector),
  };
}

function subjectOf({ user = '', groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

function refuseInvalid(kind: string, name: string, causes: readonly FieldCause[]): void {
  if (causes.length > 0) throw StatusError.invalid({ group, kind }, name, causes);
}

const invalid = (field: string, value: unknown, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
});

function subjectCauses(spec: SubjectAccessReviewSpec | undefined): FieldCause[] {
  if (spec?.user || spec?.groups?.length) return [];
  return [invalid('spec.user', spec?.user ?? '', 'at least one of user or group must be specified')];
}

function specCauses(spec: AccessSpec | undefined): FieldCause[] {
  const { resourceAttributes, nonResourceAttributes } = spec ?? {};
  const causes = resourceAttributes ? selectorCauses(resourceAttributes) : [];
  if (resourceAttributes && nonResourceAttributes)
    causes.push(invalid('spec', nonResourceAttributes, 'cannot be specified in combination with resourceAttributes'));
  if (!resourceAttributes && !nonResourceAttributes)
    causes.push(
      invalid(
        'spec',
        resourceAttributes,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  return causes;
}

function localCauses(review: LocalSubjectAccessReview, namespace: string): FieldCause[] {
  const { spec } = review;
  const causes = subjectCauses(spec);
  if (spec?.nonResourceAttributes) {
    const why = 'disallowed on this kind of request';
    causes.push(invalid('spec.nonResourceAttributes', spec.nonResourceAttributes, why));
  }
  if (spec?.resourceAttributes && spec.resourceAttributes.namespace !== namespace) {
    const why = 'must match metadata.namespace';
    causes.push(invalid('spec.resourceAttributes.namespace', spec.resourceAttributes.namespace ?? '', why));
  }
  return [...causes, ...specCauses(spec)];
}
