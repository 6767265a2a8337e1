import { baselineChecks } from './baseline.ts';
import type { Check, CheckPod, PodLike, Violation } from './check.ts';
import { restrictedChecks } from './restricted.ts';

export const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** A level of the standards as it was in a version of Kubernetes: `minor` of 1.x, Infinity for the latest. */
export interface LevelVersion {
  readonly level: Level;
  readonly minor: number;
}

export const formatLevelVersion = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === Infinity ? 'latest' : `v1.${minor}`}`;

/** Negative where `a` is less strict than `b`. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

/** From this version on no check changes. */
const minorMax = Math.max(
  ...[...baselineChecks, ...restrictedChecks].map(({ versions }) => versions.at(-1)?.since ?? 0),
);

const compiled = new Map<string, readonly CheckPod[]>();

/** What of a pod is not within a level, in upstream's order; empty where it is within. */
export function violations({ level, minor }: LevelVersion, pod: PodLike): readonly Violation[] {
  if (level === 'privileged') return [];
  const at = Math.min(minor, minorMax);
  const key = `${level}/${at}`;
  let checks = compiled.get(key);
  if (!checks) {
    checks = checksAt(level, at);
    compiled.set(key, checks);
  }
  return checks.flatMap((check) => check(pod) ?? []);
}

function checksAt(level: Exclude<Level, 'privileged'>, minor: number): CheckPod[] {
  const added = level === 'restricted' ? inForce(restrictedChecks, minor) : [];
  const overridden = new Set(added.flatMap(({ overrides }) => overrides ?? []));
  const kept = inForce(baselineChecks, minor).filter(({ id }) => !overridden.has(id));
  return [...kept, ...added].flatMap(({ versions }) => versions.findLast(({ since }) => since <= minor)?.check ?? []);
}

const inForce = (checks: readonly Check[], minor: number): readonly Check[] =>
  checks.filter(({ versions }) => versions[0] !== undefined && versions[0].since <= minor);

/** `privileged (container "a" must not ...), host namespaces (hostPID=true)` */
export const describe = (found: readonly Violation[]): string =>
  found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');

export const reasons = (found: readonly Violation[]): string => found.map(({ reason }) => reason).join(', ');
