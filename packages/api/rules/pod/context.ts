import type { PodSpec, Volume } from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';

/** What the rules of a part of a pod need to know of the whole. */
export interface PodContext {
  readonly spec: PodSpec;
  readonly metadata: ObjectMeta | undefined;
  /** The volumes without fault, by name; the others count as not there. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claimNames: ReadonlySet<string>;
  readonly gracePeriodSeconds: number;
}
