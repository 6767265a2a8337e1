import { type Compatibility, featureGateProblems, isFeatureGate, ownRelease } from '@kubernode/api';
import { aggregateMessages } from '@kubernode/machinery';

/** Gates by name, as upstream's `--feature-gates`; `AllAlpha` and `AllBeta` set those of a stage that are not named. */
export type FeatureGates = Readonly<Record<string, boolean>>;

const truths = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const untruths = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const releaseMin = '1.34';

/** `Name=true,kube:Other=false`. Throws, in upstream's words, on a gate that the release does not have, and on other values. */
export function parseFeatureGates(text: string): FeatureGates {
  const gates: Record<string, boolean> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const [, component = 'kube', name = '', value] = /^(?:([^:=]*):)?([^=]*)(?:=(.*))?$/s.exec(part.trim()) ?? [];
    const key = name.trim();
    if (component !== 'kube') throw new Error(`component not registered: ${component}`);
    if (value === undefined) throw new Error(`missing bool value for ${key}`);
    gates[key] = booleanOf(value.trim(), key);
    if (!isFeatureGate(key)) throw new Error(`unrecognized feature gate: ${key}`);
  }
  return gates;
}

function booleanOf(value: string, name: string): boolean {
  if (truths.includes(value)) return true;
  if (untruths.includes(value)) return false;
  const why = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
  throw new Error(`invalid value of ${name}=${value}, err: ${why}`);
}

/** Throws for gates that are locked, not there yet in the release, or without what they depend on. */
export function checkFeatureGates(gates: FeatureGates, release: Compatibility): void {
  const problems = featureGateProblems(gates, release);
  if (problems.length > 0) throw new Error(aggregateMessages(problems));
}

/** `1.36` or `kube=1.36`: a release of Kubernetes; undefined where none is named. Throws on what is none. */
export function parseRelease(versions: readonly string[]): string | undefined {
  const found = versions.map((text) => {
    const [component, version] = text.includes('=') ? text.split('=').map((part) => part.trim()) : ['kube', text];
    if (component !== 'kube') throw new Error(`component not registered: ${component}`);
    const [, release, patch] = /^v?((?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:\.(\d+))?$/.exec(version ?? '') ?? [];
    if (release === undefined) throw new Error(`could not parse ${JSON.stringify(version)} as version`);
    if (Number(patch ?? 0) > 0) throw new Error(`patch version not allowed, got: kube=${version}`);
    return release;
  });
  if (found.length > 1) throw new Error(`duplicate version flag, kube=${found[0]} and kube=${found[1]}`);
  return found[0];
}

const minorOf = (release: string) => Number(release.split('.')[1]) + 1000 * Number(release.split('.')[0]);

/** Throws unless the release is one that can be emulated. */
export function checkEmulated(release: string): void {
  if (!isBetween(release, releaseMin, ownRelease.emulated))
    throw new Error(`emulation version ${release} is not between [${releaseMin}, ${ownRelease.emulated}.0]`);
}

/** The oldest release to get along with: the one before the emulated unless it is said. Throws on one that cannot be. */
export function oldestRelease(said: string | undefined, emulated: string): string {
  const before = `1.${Number(emulated.split('.')[1]) - 1}`;
  const oldest = said ?? (isBetween(before, releaseMin, emulated) ? before : releaseMin);
  if (isBetween(oldest, releaseMin, emulated)) return oldest;
  throw new Error(`minCompatibilityVersion version ${oldest} is not between [${releaseMin}, ${emulated}]`);
}

const isBetween = (release: string, min: string, max: string) =>
  minorOf(release) >= minorOf(min) && minorOf(release) <= minorOf(max);
