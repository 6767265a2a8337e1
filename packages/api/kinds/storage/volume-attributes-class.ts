import { deepEqual } from '@kubernode/machinery';
import { VolumeAttributesClass } from '../../generated/types/storage/v1.ts';
import { forbidden } from '../../rules/cause.ts';
import { provisioner, requiredParameters } from '../../rules/volumes/class-parameters.ts';
import { fields, validate } from '../../rules/rule.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const volumeAttributesClass = define(VolumeAttributesClass, {
  validate: validate<VolumeAttributesClass>(
    fields<VolumeAttributesClass>({ driverName: provisioner, parameters: requiredParameters }),
  ),
  validateUpdate: (object, old) =>
    (['driverName', 'parameters'] as const).flatMap((name) =>
      deepEqual(object[name], old[name]) ? [] : [forbidden(name, `updates to ${name} are forbidden.`)],
    ),
  rechecksName: true,
  row: (object) => [object.metadata.name, object.driverName, age(object)],
});
