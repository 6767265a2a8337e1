import type { Lease } from '@kubernode/api/coordination/v1';
import type { LeaseCandidate } from '@kubernode/api/coordination/v1beta1';
import { formatMicroTime } from '@kubernode/machinery';
import { oldestEmulationVersion, oldestOf, strategyOf } from './candidates.ts';

/** A candidate that was asked has so long to answer; a leader has so long to renew its lease. */
export const electionMs = 5_000;
/** A candidate that has not renewed for so long is gone; for half as long, it is asked again. */
export const candidateMs = 30 * 60_000;

export type Step =
  /** Nobody stands for the lease. */
  | { readonly do: 'nothing' }
  /** The leader is the right one, or candidates still have time to answer: look again later. */
  | { readonly do: 'wait' }
  /** They are asked whether they are there: `pingTime` becomes now. */
  | { readonly do: 'ask'; readonly candidates: readonly LeaseCandidate[] }
  /** The lease is made, or changed, to have this spec. */
  | { readonly do: 'elect'; readonly spec: NonNullable<Lease['spec']> };

/**
 * What comes next in the election of a lease's holder (KEP-4355). `candidates`: all that name the lease. Throws where
 * candidates disagree, or none of them answered.
 */
export function nextStep(lease: Lease | undefined, candidates: readonly LeaseCandidate[], nowMs: number): Step {
  const present = candidates.filter((each) => renewedMs(each) + candidateMs >= nowMs);
  if (present.length === 0) return { do: 'nothing' };
  if (!isElectionNeeded(lease, present, nowMs)) return { do: 'wait' };
  const silent = present.filter((each) => renewedMs(each) + electionMs <= nowMs);
  if (present.some((each) => isAsked(each, nowMs))) return { do: 'wait' };
  const unasked = silent.filter((each) => askedMs(each) === undefined || hasAnswered(each));
  if (unasked.length > 0) return { do: 'ask', candidates: unasked };
  const answered = present.filter((each) => !silent.includes(each));
  if (answered.length === 0) throw new Error('no candidate answered');
  const strategy = strategyOf(answered);
  const electee = strategy === oldestEmulationVersion ? oldestOf(answered) : undefined;
  if (strategy === oldestEmulationVersion && !electee) throw new Error('no candidate says which version it emulates');
  return elected(lease, strategy, electee?.metadata.name, nowMs);
}

function isElectionNeeded(lease: Lease | undefined, candidates: readonly LeaseCandidate[], nowMs: number): boolean {
  if (!lease || isExpired(lease, nowMs) || !lease.spec?.holderIdentity) return true;
  if (candidates.some((each) => renewedMs(each) + candidateMs / 2 < nowMs)) return true;
  if (strategyOf(candidates) !== oldestEmulationVersion) return false;
  const best = oldestOf(candidates);
  return best !== undefined && best.metadata.name !== lease.spec.holderIdentity;
}

/** A leader is not thrown out: it learns by `preferredHolder` that it should go. */
function elected(lease: Lease | undefined, strategy: string, holder: string | undefined, nowMs: number): Step {
  const fresh = {
    strategy,
    leaseDurationSeconds: electionMs / 1000,
    renewTime: formatMicroTime(nowMs),
    ...(holder ? { holderIdentity: holder } : {}),
  };
  if (!lease) return { do: 'elect', spec: fresh };
  const { acquireTime: _a, preferredHolder: _p, ...kept } = lease.spec ?? {};
  const current = kept.holderIdentity ?? '';
  if (holder && (current === '' || (isExpired(lease, nowMs) && current !== holder))) {
    return { do: 'elect', spec: { ...kept, ...fresh } };
  }
  const preferred = holder && holder !== current ? { preferredHolder: holder } : {};
  const spec = { ...lease.spec, strategy, ...preferred };
  const isSame =
    spec.strategy === lease.spec?.strategy && spec.preferredHolder === (lease.spec?.preferredHolder ?? undefined);
  return isSame ? { do: 'wait' } : { do: 'elect', spec };
}

function isExpired({ spec }: Lease, nowMs: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  if (!renewTime || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < nowMs;
}

const renewedMs = ({ spec }: LeaseCandidate) => (spec.renewTime ? Date.parse(spec.renewTime) : -Infinity);
const askedMs = ({ spec }: LeaseCandidate) => (spec.pingTime ? Date.parse(spec.pingTime) : undefined);
const hasAnswered = (candidate: LeaseCandidate) => renewedMs(candidate) >= (askedMs(candidate) ?? -Infinity);

/** It was asked, has not answered, and still has time. */
function isAsked(candidate: LeaseCandidate, nowMs: number): boolean {
  const asked = askedMs(candidate);
  return asked !== undefined && asked + electionMs > nowMs && !hasAnswered(candidate);
}
