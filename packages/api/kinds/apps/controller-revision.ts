import { ControllerRevision } from '../../generated/types/apps/v1.ts';
import { invalid, required } from '../../rules/cause.ts';
import { fields, validate } from '../../rules/rule.ts';
import { nonNegative, semanticallyEqual } from '../../rules/values.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

export const controllerRevision = define(ControllerRevision, {
  rechecksName: true,
  validate: validate<ControllerRevision>(fields<ControllerRevision>({ revision: nonNegative })),
  validateCreate({ data }) {
    if (data === undefined || data === null) return [required('data', 'data is mandatory')];
    const isObject = typeof data === 'object' && !Array.isArray(data);
    return isObject ? [] : [required('data', 'data must be a valid JSON object')];
  },
  validateUpdate: ({ data }, { data: old }) =>
    semanticallyEqual(data, old) ? [] : [invalid('data', data, 'field is immutable')],
  row: (object) => [object.metadata.name, controllerCell(object), object.revision, age(object)],
});

function controllerCell({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return noneCell;
  const [group = '', version] = (owner.apiVersion ?? '').split('/');
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}
