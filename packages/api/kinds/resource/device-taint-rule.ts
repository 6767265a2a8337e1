import { DeviceTaintRule } from '../../generated/types/resource/v1.ts';
import { DeviceTaintRule as DeviceTaintRulev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { DeviceTaintRule as DeviceTaintRulev1alpha3 } from '../../generated/types/resource/v1alpha3.ts';
import { age, ageCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const deviceTaintRule = defineVersions([DeviceTaintRule, DeviceTaintRulev1beta2, DeviceTaintRulev1alpha3], {
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.taint.key,
    object.spec.taint.value ?? '',
    object.spec.taint.effect,
    ageCell(object.spec.taint.timeAdded, nowMs),
    age(object, nowMs),
  ],
});
