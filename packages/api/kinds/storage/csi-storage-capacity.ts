import { compareQuantities, deepEqual, dns1123Subdomain } from '@kubernode/machinery';
import { CSIStorageCapacity } from '../../generated/types/storage/v1.ts';
import type { LabelSelector } from '../../generated/types/meta/v1.ts';
import { invalid } from '../../rules/cause.ts';
import { deprecatedNodeLabel } from '../../rules/node-labels.ts';
import { labelSelector } from '../../rules/selector.ts';
import type { FieldCause } from '../../status-error.ts';
import { define } from '../define.ts';

function causes({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): readonly FieldCause[] {
  const found = nodeTopology ? [...labelSelector(nodeTopology, 'nodeTopology')] : [];
  found.push(
    ...dns1123Subdomain(storageClassName).map((detail) => invalid('storageClassName', storageClassName, detail)),
  );
  if (capacity !== undefined && compareQuantities(capacity, '0') < 0)
    found.push(invalid('capacity', String(capacity), 'must be greater than or equal to 0'));
  return found;
}

/** What the driver was asked about stays; what it answered may change. */
function changes(object: CSIStorageCapacity, old: CSIStorageCapacity): readonly FieldCause[] {
  return (['nodeTopology', 'storageClassName'] as const).flatMap((name) =>
    deepEqual(object[name], old[name]) ? [] : [invalid(name, object[name], 'field is immutable')],
  );
}

function nodeTopologyWarnings({ matchExpressions = [], matchLabels = {} }: LabelSelector = {}): readonly string[] {
  const ofExpressions = matchExpressions.flatMap(({ key }, index) => {
    const why = deprecatedNodeLabel(key);
    return why ? [`nodeTopology.matchExpressions[${index}].key: ${key} is ${why}`] : [];
  });
  const ofLabels = Object.keys(matchLabels).flatMap((key) => {
    const why = deprecatedNodeLabel(key);
    return why ? [`nodeTopology.matchLabels.${key}: ${why}`] : [];
  });
  return [...ofExpressions, ...ofLabels];
}

export const csiStorageCapacity = define(CSIStorageCapacity, {
  validate: causes,
  validateUpdate: changes,
  warnings: ({ nodeTopology }) => nodeTopologyWarnings(nodeTopology),
  unconditionalUpdate: false,
  rechecksName: true,
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
});
