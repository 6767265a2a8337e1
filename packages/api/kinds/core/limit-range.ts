import { LimitRange } from '../../generated/types/core/v1.ts';
import { limitDefaults, limitRangeRules } from '../../rules/resources/limit-range.ts';
import { validate } from '../../rules/rule.ts';
import { define } from '../define.ts';

export const limitRange = define(LimitRange, {
  rechecksName: true,
  defaults: ({ spec }) => spec.limits.forEach(limitDefaults),
  validate: validate<LimitRange>(limitRangeRules),
  /** The one kind that needs no name. */
  prepareForCreate({ metadata }) {
    if (!metadata.name && metadata.uid) metadata.name = metadata.uid;
  },
  createOnUpdate: true,
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
});
