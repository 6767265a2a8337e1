import { ResourceQuota } from '../../generated/types/core/v1.ts';
import { quotaCells, quotaWarnings, quotaSpec, quotaSpecUpdate, quotaStatus } from '../../rules/resources/quota.ts';
import { fields, validate, validateUpdate } from '../../rules/rule.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const resourceQuota = define(ResourceQuota, {
  validate: validate<ResourceQuota>(fields<ResourceQuota>({ spec: quotaSpec })),
  validateUpdate: validateUpdate<ResourceQuota>(fields<ResourceQuota>({ spec: quotaSpecUpdate })),
  validateStatusUpdate: validateUpdate<ResourceQuota>(fields<ResourceQuota>({ status: quotaStatus })),
  generation: 'none',
  warnings: (object, old) => (old ? [] : quotaWarnings(object)),
  row: (object) => [object.metadata.name, ...quotaCells(object), age(object)],
});
