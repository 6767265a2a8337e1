import { ComponentStatus } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const componentStatus = define(ComponentStatus, {
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  row: ({ metadata, conditions = [] }) => {
    const healthy = conditions.find(({ type }) => type === 'Healthy');
    const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
    return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
  },
});
