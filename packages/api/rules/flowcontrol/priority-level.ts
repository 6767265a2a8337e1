import { deepEqual } from '@kubernode/machinery';
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../generated/types/flowcontrol/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported } from '../cause.ts';
import { mandatorySpec } from './mandatory.ts';

const queuesMax = 10_000_000;
const hashBitsMax = 60;
const roundTripKey = 'flowcontrol.k8s.io/concurrency-shares-defaults-to-zero';

/** How much of the server a priority gets (ValidatePriorityLevelConfiguration); markers say what goes with which type. */
export function priorityLevelCauses({ metadata, spec }: PriorityLevelConfiguration): readonly FieldCause[] {
  const found: FieldCause[] = [];
  if (metadata.annotations && roundTripKey in metadata.annotations)
    found.push(forbidden('metadata.annotations', `annotation '${roundTripKey}' is forbidden`));
  const { type, limited, exempt } = spec;
  if ((metadata.name === 'exempt') !== (type === 'Exempt'))
    found.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === 'Exempt' && exempt) found.push(...shares(exempt, 'spec.exempt'));
  if (type === 'Limited' && limited) found.push(...limitedCauses(limited, 'spec.limited'));
  if (type && type !== 'Exempt' && type !== 'Limited')
    found.push(notSupported('spec.type', type, ['Exempt', 'Limited']));
  return [...found, ...fixedCauses(metadata.name, spec)];
}

/** Of the exempt one, only what it lends may be changed. */
function fixedCauses(name: string | undefined, spec: PriorityLevelConfigurationSpec): FieldCause[] {
  const fixed = mandatorySpec('prioritylevelconfigurations', name) as PriorityLevelConfigurationSpec | undefined;
  if (!fixed) return [];
  const isExempt = name === 'exempt';
  if (deepEqual(isExempt ? { ...spec, exempt: fixed.exempt } : spec, fixed)) return [];
  const what = isExempt ? "except the 'spec.exempt' field must" : 'must';
  return [invalid('spec', spec, `spec of '${name}' ${what} equal the fixed value`)];
}

function shares(
  { nominalConcurrencyShares: nominal, lendablePercent: lendable }: ExemptPriorityLevelConfiguration,
  path: string,
): FieldCause[] {
  const found: FieldCause[] = [];
  if (nominal !== undefined && nominal < 0)
    found.push(invalid(`${path}.nominalConcurrencyShares`, nominal, 'must be a non-negative integer'));
  if (lendable !== undefined && (lendable < 0 || lendable > 100))
    found.push(invalid(`${path}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive'));
  return found;
}

function limitedCauses(limited: LimitedPriorityLevelConfiguration, path: string): FieldCause[] {
  const { limitResponse, borrowingLimitPercent: borrowed } = limited;
  const { type, queuing } = limitResponse;
  const found = shares(limited, path);
  const at = `${path}.limitResponse`;
  if (type === 'Queue' && queuing) found.push(...queuingCauses(queuing, `${at}.queuing`));
  if (type && type !== 'Queue' && type !== 'Reject') found.push(notSupported(`${at}.type`, type, ['Queue', 'Reject']));
  if (borrowed !== undefined && borrowed < 0)
    found.push(invalid(`${path}.borrowingLimitPercent`, borrowed, 'if specified, must be a non-negative integer'));
  return found;
}

/** Hands are dealt from a hash: it must have bits enough. */
function queuingCauses(queuing: QueuingConfiguration, path: string): FieldCause[] {
  const { queues, handSize, queueLengthLimit } = queuing;
  const found: FieldCause[] = [];
  const wrong = (name: string, value: number, detail: string) => found.push(invalid(`${path}.${name}`, value, detail));
  if (queueLengthLimit <= 0) wrong('queueLengthLimit', queueLengthLimit, 'must be positive');
  if (queues <= 0) wrong('queues', queues, 'must be positive');
  else if (queues > queuesMax) wrong('queues', queues, `must not be greater than ${queuesMax}`);
  if (handSize <= 0) wrong('handSize', handSize, 'must be positive');
  else if (handSize > queues) wrong('handSize', handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > hashBitsMax) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${hashBitsMax}`;
    wrong('handSize', handSize, detail);
  }
  return found;
}
