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
      refuseInvalid([...specCauses(review.spec, true), ...metadataCauses(review)]);
      return answer(review, subjectOf(review.spec), review.spec);
    }),
    resource('localsubjectaccessreviews', 'LocalSubjectAccessReview', ({ object, attributes }) => {
      const review = object as LocalSubjectAccessReview;
      refuseInvalid(localCauses(review, attributes.namespace));
      return answer(review, subjectOf(review.spec), review.spec);
    }),
    resource('selfsubjectaccessreviews', 'SelfSubjectAccessReview', ({ object, user }: VirtualRequest) => {
      const review = object as SelfSubjectAccessReview;
      refuseInvalid([...specCauses(review.spec, false), ...metadataCauses(review)]);
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

/** Upstream names no kind here: the review has lost it by the time it is judged. */
function refuseInvalid(causes: readonly FieldCause[]): void {
  if (causes.length === 0) return;
  const { status } = StatusError.invalid({ group, kind: '' }, '', causes);
  const { kind: _none, ...details } = status.details ?? {};
  throw new StatusError({ ...status, details });
}

const invalid = (field: string, value: unknown, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
});

/** As the internal type prints: its fields have no names of JSON. */
const printed = ({ path = '', verb = '' }: NonResourceAttributes) => ({ Path: path, Verb: verb });

function specCauses(spec: AccessSpec & Partial<SubjectAccessReviewSpec>, hasSubject: boolean): FieldCause[] {
  const { resourceAttributes, nonResourceAttributes, user = '', groups = [] } = spec ?? {};
  const causes: FieldCause[] = [];
  if (Boolean(resourceAttributes) === Boolean(nonResourceAttributes)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    causes.push(invalid('spec', nonResourceAttributes && printed(nonResourceAttributes), why));
  }
  if (hasSubject && user === '' && groups.length === 0)
    causes.push(invalid('spec.user', user, 'at least one of user or group must be specified'));
  return resourceAttributes ? [...causes, ...selectorCauses(resourceAttributes)] : causes;
}

function metadataCauses({ metadata }: { readonly metadata: object }, isLocal = false): FieldCause[] {
  const { managedFields: _m, namespace, ...rest } = metadata as Record<string, unknown>;
  const isEmpty = Object.keys(rest).length === 0 && (isLocal || !namespace);
  return isEmpty ? [] : [invalid('metadata', metadata, `must be empty${isLocal ? ' except for namespace' : ''}`)];
}

function localCauses(review: LocalSubjectAccessReview, namespace: string): FieldCause[] {
  const { spec } = review;
  const causes = [...specCauses(spec, true), ...metadataCauses(review, true)];
  if (spec?.resourceAttributes && spec.resourceAttributes.namespace !== namespace) {
    const why = 'must match metadata.namespace';
    causes.push(invalid('spec.resourceAttributes.namespace', spec.resourceAttributes.namespace ?? '', why));
  }
  if (spec?.nonResourceAttributes) {
    const why = 'disallowed on this kind of request';
    causes.push(invalid('spec.nonResourceAttributes', printed(spec.nonResourceAttributes), why));
  }
  return causes;
}
