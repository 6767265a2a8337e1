import { registry } from '../define.ts';
import { localSubjectAccessReview } from './local-subject-access-review.ts';
import { selfSubjectAccessReview } from './self-subject-access-review.ts';
import { selfSubjectRulesReview } from './self-subject-rules-review.ts';
import { subjectAccessReview } from './subject-access-review.ts';

export const authorizationKinds = registry(
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
);
