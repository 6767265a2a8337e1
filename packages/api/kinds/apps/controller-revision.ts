import { ControllerRevision } from '../../generated/types/apps/v1.ts';
import { fields, validate, validateUpdate } from '../../rules/rule.ts';
import { immutable, nonNegative, required } from '../../rules/values.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

export const controllerRevision = define(ControllerRevision, {
  validate: validate<ControllerRevision>(fields<ControllerRevision>({ revision: nonNegative, data: required })),
  validateUpdate: validateUpdate<ControllerRevision>(fields<ControllerRevision>({ data: immutable })),
  row: (object, nowMs) => [object.metadata.name, controllerCell(object), object.revision, age(object, nowMs)],
});

function controllerCell({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return noneCell;
  const [group = '', version] = (owner.apiVersion ?? '').split('/');
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}
