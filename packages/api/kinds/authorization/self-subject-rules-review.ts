import { SelfSubjectRulesReview } from '../../generated/types/authorization/v1.ts';
import { define } from '../define.ts';

export const selfSubjectRulesReview = define(SelfSubjectRulesReview);
