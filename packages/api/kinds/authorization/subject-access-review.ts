import { SubjectAccessReview } from '../../generated/types/authorization/v1.ts';
import { define } from '../define.ts';

export const subjectAccessReview = define(SubjectAccessReview);
