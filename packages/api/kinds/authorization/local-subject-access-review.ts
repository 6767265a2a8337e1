import { LocalSubjectAccessReview } from '../../generated/types/authorization/v1.ts';
import { define } from '../define.ts';

export const localSubjectAccessReview = define(LocalSubjectAccessReview);
