import { DeviceTaintRule } from '../../generated/types/resource/v1.ts';
import { DeviceTaintRule as DeviceTaintRulev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { DeviceTaintRule as DeviceTaintRulev1alpha3 } from '../../generated/types/resource/v1alpha3.ts';
import { defineVersions } from '../define.ts';

export const deviceTaintRule = defineVersions([DeviceTaintRule, DeviceTaintRulev1beta2, DeviceTaintRulev1alpha3]);
