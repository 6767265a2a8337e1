import { registry } from '../define.ts';
import { deviceClass } from './device-class.ts';
import { deviceTaintRule } from './device-taint-rule.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { resourceSlice } from './resource-slice.ts';
import { resourcePoolStatusRequest } from './resource-pool-status-request.ts';

export const resourceKinds = registry(
  deviceClass,
  deviceTaintRule,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
  resourcePoolStatusRequest,
);
