import { registry } from '../define.ts';
import { selfSubjectReview } from './self-subject-review.ts';
import { tokenReview } from './token-review.ts';

export const authenticationKinds = registry(selfSubjectReview, tokenReview);
