import { ComponentStatus } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const componentStatus = define(ComponentStatus, {
  row: ({ metadata, conditions = [] }) => {
    const healthy = conditions.find(({ type }) => type === 'Healthy');
    const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
    return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
  },
});
