import { pathSegmentName } from '@kubernode/machinery';
import { APIService } from '../../generated/types/apiregistration/v1.ts';
import { define } from '../define.ts';

export const apiService = define(APIService, {
  // `v1.` for the core group.
  validateName: (name) => pathSegmentName(name),
});
