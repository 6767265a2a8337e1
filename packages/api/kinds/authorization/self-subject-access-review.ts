import { SelfSubjectAccessReview } from '../../generated/types/authorization/v1.ts';
import { define } from '../define.ts';

export const selfSubjectAccessReview = define(SelfSubjectAccessReview);
