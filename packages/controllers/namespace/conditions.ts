import type { NamespaceCondition } from '@kubernode/api/core/v1';
import { formatTime } from '@kubernode/machinery';

/** What is left of a namespace, or could not be removed. */
export interface Remains {
  /** Group versions that discovery could not tell about. */
  readonly undiscovered: readonly string[];
  /** What deletions answered. */
  readonly failures: readonly string[];
  /** How many objects there are, by `resource.group`. */
  readonly objects: ReadonlyMap<string, number>;
  /** On how many objects a finalizer is. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Outcome {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const ok = (reason: string, message: string): Outcome => ({ status: 'False', reason, message });
const wrong = (reason: string, message: string): Outcome => ({ status: 'True', reason, message });

/** The five conditions of a namespace that ends; undefined where they say so already. */
export function conditionsOf(
  remains: Remains,
  present: readonly NamespaceCondition[] = [],
  nowMs: number,
): NamespaceCondition[] | undefined {
  const outcomes = Object.entries(outcomesOf(remains));
  const lastTransitionTime = formatTime(nowMs);
  let isChanged = false;
  const conditions = outcomes.map(([type, outcome]): NamespaceCondition => {
    const before = present.find((condition) => condition.type === type);
    if (before?.status === outcome.status && before.reason === outcome.reason && before.message === outcome.message)
      return before;
    isChanged = true;
    const time = before?.status === outcome.status ? before.lastTransitionTime : lastTransitionTime;
    return { type, ...outcome, lastTransitionTime: time };
  });
  const others = present.filter(({ type }) => !outcomes.some(([name]) => name === type));
  return isChanged ? [...conditions, ...others] : undefined;
}

function outcomesOf({ undiscovered, failures, objects, finalizers }: Remains): Record<string, Outcome> {
  const objectTexts = [...objects].map(([resource, count]) => `${resource} has ${count} resource instances`);
  const finalizerTexts = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  return {
    NamespaceDeletionDiscoveryFailure: undiscovered.length
      ? wrong(
          'DiscoveryFailed',
          `Discovery failed for some groups, ${undiscovered.length} failing: unable to retrieve the complete list of ` +
            `server APIs: ${undiscovered.toSorted().join(', ')}`,
        )
      : ok('ResourcesDiscovered', 'All resources successfully discovered'),
    NamespaceDeletionGroupVersionParsingFailure: ok('ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    NamespaceDeletionContentFailure: failures.length
      ? wrong(
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
        )
      : ok('ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    NamespaceContentRemaining: objectTexts.length
      ? wrong('SomeResourcesRemain', `Some resources are remaining: ${objectTexts.toSorted().join(', ')}`)
      : ok('ContentRemoved', 'All content successfully removed'),
    NamespaceFinalizersRemaining: finalizerTexts.length
      ? wrong(
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizerTexts.toSorted().join(', ')}`,
        )
      : ok('ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
  };
}
