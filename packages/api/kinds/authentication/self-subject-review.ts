import { SelfSubjectReview } from '../../generated/types/authentication/v1.ts';
import { define } from '../define.ts';

export const selfSubjectReview = define(SelfSubjectReview);
