import { DeviceTaintRule } from '../../generated/types/resource/v1.ts';
import { DeviceTaintRule as DeviceTaintRulev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { DeviceTaintRule as DeviceTaintRulev1alpha3 } from '../../generated/types/resource/v1alpha3.ts';
import { tooMany } from '../../rules/cause.ts';
import { conditions } from '../../rules/conditions.ts';
import { taintDefaults } from '../../rules/devices/defaults.ts';
import { taintCauses, taintSelector } from '../../rules/devices/taint.ts';
import { age, ageCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

const conditionsMax = 8;

const versions = defineVersions([DeviceTaintRule, DeviceTaintRulev1beta2, DeviceTaintRulev1alpha3], {
  defaults: ({ spec }, nowTime) => taintDefaults(spec.taint, nowTime),
  /** A new effect holds from now on, unless the client says since when. */
  prepareForUpdate({ spec: { taint } }, { spec: { taint: old } }, nowTime) {
    if (taint.effect !== old.effect && taint.timeAdded === old.timeAdded) taint.timeAdded = nowTime;
  },
  validate: ({ spec }) => [
    ...(spec.deviceSelector ? taintSelector(spec.deviceSelector, 'spec.deviceSelector') : []),
    ...taintCauses(spec.taint, 'spec.taint'),
  ],
  validateStatusUpdate({ status: { conditions: list = [] } }) {
    const at = 'status.conditions';
    const found = conditions(list, at);
    return list.length > conditionsMax ? [...found, tooMany(at, list.length, conditionsMax)] : found;
  },
  row: (object) => [
    object.metadata.name,
    object.spec.taint.key,
    object.spec.taint.value ?? '',
    object.spec.taint.effect,
    object.spec.taint.timeAdded ? ageCell(object.spec.taint.timeAdded) : '',
    age(object),
  ],
});

/** Only the versions before v1 may be written without the resource version that was read. */
export const deviceTaintRule = versions.map((definition) =>
  definition.kind === DeviceTaintRule ? { ...definition, unconditionalUpdate: false } : definition,
);
