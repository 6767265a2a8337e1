import facts from '../facts/feature-gates-1.37.json' with { type: 'json' };

/** Whether a gate is on: as the release has it, or as the operator said. Unknown gates are off. */
export type IsEnabled = (gate: string) => boolean;

/** Which release a server behaves as, and the oldest one that it has to get along with: `1.37` and `1.36`. */
export interface Compatibility {
  readonly emulated: string;
  readonly oldest: string;
}

/** The release that is served where nothing else is said. */
export const ownRelease: Compatibility = { emulated: '1.37', oldest: '1.36' };

/** What a gate is from a release on. */
interface Spec {
  readonly version: string;
  readonly default: boolean;
  readonly stage: string;
  readonly locked?: boolean;
  readonly minCompatibility?: string;
}

interface Gate {
  readonly specs: readonly Spec[];
  readonly dependsOn?: readonly string[];
  readonly stage?: string;
  readonly enabled?: boolean;
}

type Overrides = Readonly<Record<string, boolean>>;

const gates = facts as Readonly<Record<string, Gate | undefined>>;
const wholeStages: Overrides = { AllAlpha: true, AllBeta: true };

/** Whether the release has a gate of that name. */
export const isFeatureGate = (name: string): boolean => Object.hasOwn(gates, name);

/** The gates of a release, on top of which `overrides` is what was asked for. */
export function featureGates(overrides: Overrides = {}, release: Compatibility = ownRelease): IsEnabled {
  const ofStage: Readonly<Record<string, boolean | undefined>> = {
    Alpha: overrides['AllAlpha'],
    Beta: overrides['AllBeta'],
  };
  return (gate) => {
    const { stage, default: ofRelease } = specOf(gate, release);
    return overrides[gate] ?? ofStage[stage] ?? ofRelease;
  };
}

/** The stage of each gate as metrics tell it: `ALPHA`, `BETA`, `DEPRECATED`, '' for what is there for good. */
export function featureGateStages(release: Compatibility = ownRelease): Readonly<Record<string, string>> {
  const label = (name: string) => (name in wholeStages ? name.slice('All'.length) : specOf(name, release).stage);
  return Object.fromEntries(
    Object.keys(gates).map((name) => [name, label(name) === 'GA' ? '' : label(name).toUpperCase()]),
  );
}

/** Why gates cannot be set so, in upstream's words; [] where they can. */
export function featureGateProblems(overrides: Overrides, release: Compatibility = ownRelease): readonly string[] {
  const unknown = Object.keys(overrides).find((name) => !isFeatureGate(name));
  if (unknown !== undefined) return [`unrecognized feature gate: ${unknown}`];
  const found = Object.entries(overrides).flatMap(([name, value]) => {
    if (name in wholeStages) return [];
    const { stage, locked = false, default: ofRelease } = specOf(name, release);
    const cannot = `cannot set feature gate ${name} to ${value}, feature is`;
    if (locked && ofRelease !== value) return [`${cannot} locked to ${ofRelease}`];
    const { emulated, oldest } = release;
    if (stage !== 'PreAlpha') return [];
    return [`${cannot} PreAlpha at emulated version ${emulated}, min compatibility version ${oldest}`];
  });
  if (found.length > 0) return found;
  const isOn = featureGates(overrides, release);
  return Object.entries(gates).flatMap(([name, gate]) => {
    const missing = isOn(name) ? (gate?.dependsOn ?? []).filter((other) => !isOn(other)) : [];
    if (missing.length === 0) return [];
    return [`${name} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`];
  });
}

const nothingYet: Spec = { version: '', default: false, stage: 'PreAlpha' };

/** What the gate is in that release: the last of its stages that the release has reached. */
function specOf(name: string, { emulated, oldest }: Compatibility): Spec {
  const gate = gates[name];
  if (!gate) return nothingYet;
  const reached = gate.specs.findLast(
    ({ version, minCompatibility = '0.0' }) => isReached(version, emulated) && isReached(minCompatibility, oldest),
  );
  if (reached) return reached;
  return gate.specs.length > 0
    ? nothingYet
    : { ...nothingYet, default: gate.enabled ?? false, stage: gate.stage ?? '' };
}

function isReached(version: string, by: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [byMajor = 0, byMinor = 0] = by.split('.').map(Number);
  return major < byMajor || (major === byMajor && minor <= byMinor);
}
