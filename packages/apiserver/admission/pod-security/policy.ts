import type { FieldCause } from '@kubernode/api';
import { compareLevels, levels, type Level, type LevelVersion } from './standards.ts';

/** What holds for the pods of a namespace: what is refused, what is noted in the audit log, what is warned of. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export interface ReadPolicy {
  readonly policy: Policy;
  /** Labels that are wrong; what they were to say is as strict as can be for enforce, nothing for audit and warn. */
  readonly causes: readonly FieldCause[];
}

/** Of labels that say what holds, and of audit annotations that say what became of it. */
export const labelPrefix = 'pod-security.kubernetes.io/';

/** Reads the labels of a namespace; what they leave open is as in `defaults` (KEP-2579). */
export function readPolicy(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): ReadPolicy {
  const causes: FieldCause[] = [];
  if (!labels) return { policy: defaults, causes };
  const read = <T>(
    name: string,
    parse: (text: string) => T | undefined,
    wanted: string,
    otherwise: T,
  ): T | undefined => {
    const text = labels[labelPrefix + name];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) causes.push(invalidLabel(labelPrefix + name, text, wanted));
    return value ?? otherwise;
  };
  const mode = (name: 'enforce' | 'audit' | 'warn'): LevelVersion => ({
    level:
      read(name, parseLevel, levelsWanted, name === 'enforce' ? 'restricted' : 'privileged') ?? defaults[name].level,
    minor: read(`${name}-version`, parseMinor, versionWanted, Infinity) ?? defaults[name].minor,
  });
  const policy = { enforce: mode('enforce'), audit: mode('audit'), warn: mode('warn') };
  return { policy: { ...policy, warn: warnAsEnforced(policy, labels) }, causes };
}

/** Whoever asks only for enforcement is warned of it too: a Deployment is not refused, its pods would be. */
function warnAsEnforced({ enforce, warn }: Policy, labels: Readonly<Record<string, string>>): LevelVersion {
  const asked = labels[`${labelPrefix}enforce`];
  const isAsked = asked !== undefined && parseLevel(asked) !== undefined;
  if (!isAsked || labels[`${labelPrefix}warn`] !== undefined || compareLevels(enforce.level, warn.level) <= 0)
    return warn;
  return {
    level: enforce.level,
    minor: labels[`${labelPrefix}warn-version`] === undefined ? enforce.minor : warn.minor,
  };
}

export const levelsWanted = `must be one of ${levels.join(', ')}`;
export const versionWanted = 'must be "latest" or "v1.x"';

export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text);

/** The minor version of `v1.x`, Infinity for `latest`. */
export function parseMinor(text: string): number | undefined {
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function invalidLabel(label: string, value: string, wanted: string): FieldCause {
  const field = `metadata.labels[${label}]`;
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${wanted}` };
}
