import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from '@kubernode/api/apiextensions/v1';
import { aggregateMessages, deepEqual } from '@kubernode/machinery';

export type Condition = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>;

/** What comes of the names that a CRD asks for. */
export interface NamesDecision {
  readonly names: CustomResourceDefinitionNames;
  readonly accepted: Condition;
  /** Undefined: as it was. */
  readonly established: Condition | undefined;
}

/**
 * Which of the names are free in the group, where the first comes first served (apiextensions, NamingConditionController).
 * Undefined where the names are accepted already. `others`: all other CRDs of the group.
 */
export function decideNames(
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): NamesDecision | undefined {
  const { names: wanted } = crd.spec;
  const { acceptedNames: accepted } = crd.status;
  if (deepEqual(wanted, accepted)) return undefined;
  const taken = takenNames(others);
  const names = { ...accepted };
  let conflict: Condition | undefined;
  const claim = (reason: string, inUse: readonly string[], take: () => void) => {
    if (inUse.length === 0) return take();
    const message = aggregateMessages(inUse.map((name) => `${JSON.stringify(name)} is already in use`));
    conflict = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const single = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, used: ReadonlySet<string>) => {
    const name = wanted[field] ?? '';
    claim(reason, name !== (accepted[field] ?? '') && used.has(name) ? [name] : [], () => (names[field] = name));
  };
  single('plural', 'PluralConflict', taken.resources);
  single('singular', 'SingularConflict', taken.resources);
  const shortNames = (wanted.shortNames ?? []).filter(
    (name) => !accepted.shortNames?.includes(name) && taken.resources.has(name),
  );
  claim('ShortNamesConflict', shortNames, () => (names.shortNames = wanted.shortNames));
  single('kind', 'KindConflict', taken.kinds);
  single('listKind', 'ListKindConflict', taken.kinds);
  names.categories = wanted.categories;
  return { names, accepted: conflict ?? noConflicts, established: established(crd, conflict === undefined) };
}

const noConflicts: Condition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};

function established({ status }: CustomResourceDefinition, isAccepted: boolean): Condition | undefined {
  const old = status.conditions?.find(({ type }) => type === 'Established');
  if (old && (old.status === 'True' || !isAccepted)) return undefined;
  return isAccepted
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function takenNames(crds: readonly CustomResourceDefinition[]) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of crds) {
    const { plural, singular, shortNames, kind, listKind } = status.acceptedNames;
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

export const hasCondition = ({ status }: CustomResourceDefinition, wanted: string): boolean =>
  status.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
