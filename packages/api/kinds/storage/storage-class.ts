import { qualifiedName } from '@kubernode/machinery';
import { StorageClass } from '../../generated/types/storage/v1.ts';
import type { TopologySelectorTerm } from '../../generated/types/core/v1.ts';
import { duplicate, invalid, required as requiredCause } from '../../rules/cause.ts';
import { parameters, provisioner } from '../../rules/volumes/class-parameters.ts';
import { deprecatedNodeLabel } from '../../rules/node-labels.ts';
import { firstIndexes, repeatedAt } from '../../rules/repeated.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { immutable, oneOf } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

/** Terms differ from one another, and so do the keys within one. */
const topologies: Rule<readonly TopologySelectorTerm[]> = (terms, path) => {
  const seen = new Set<string>();
  return terms.flatMap(({ matchLabelExpressions: expressions = [] }, index) => {
    const at = `${path}[${index}].matchLabelExpressions`;
    const keys = firstIndexes(expressions.map(({ key }) => key));
    const found: FieldCause[] = expressions.flatMap(({ key, values }, position) => {
      const item = `${at}[${position}]`;
      const isTwice = keys.get(key)! < position;
      const twice = repeatedAt(values).map((place) => duplicate(`${item}.values[${place}]`, values[place]));
      return [
        ...(values.length === 0 ? [requiredCause(`${item}.values`)] : twice),
        ...qualifiedName(key).map((detail) => invalid(`${item}.key`, key, detail)),
        ...(isTwice ? [duplicate(`${item}.key`, key)] : []),
      ];
    });
    // The last of a key counts, and a value once.
    const byKey = new Map(expressions.map(({ key, values }) => [key, [...new Set(values)].toSorted()]));
    const term = JSON.stringify([...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)));
    if (seen.has(term) || expressions.length === 0) found.push(duplicate(at, ''));
    seen.add(term);
    return found;
  });
};

export const storageClass = define(StorageClass, {
  defaults(object) {
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  validate: validate<StorageClass>(
    fields<StorageClass>({
      provisioner,
      parameters,
      reclaimPolicy: oneOf('Delete', 'Retain'),
      volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
      allowedTopologies: topologies,
    }),
  ),
  validateUpdate: validateUpdate<StorageClass>(
    fields<StorageClass>({
      parameters: immutable,
      provisioner: immutable,
      reclaimPolicy: immutable,
      volumeBindingMode: immutable,
    }),
  ),
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions: expressions = [] }, index) =>
      expressions.flatMap(({ key }, position) => {
        const why = deprecatedNodeLabel(key);
        return why ? [`allowedTopologies[${index}].matchLabelExpressions[${position}].key: ${why}`] : [];
      }),
    ),
  row: (object) => [
    object.metadata.name,
    object.provisioner,
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? 'Immediate',
    object.allowVolumeExpansion ?? false,
    age(object),
  ],
});
