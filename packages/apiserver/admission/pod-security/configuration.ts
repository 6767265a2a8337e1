import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import { levelsWanted, parseLevel, parseMinor, privileged, versionWanted, type Policy } from './policy.ts';
import type { LevelVersion } from './standards.ts';

/** The plugin's configuration: pod-security.admission.config.k8s.io/v1. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

const defaultPodSecurityConfiguration: PodSecurityConfiguration = {
  defaults: { enforce: privileged, audit: privileged, warn: privileged },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

const apiVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`);

/** Reads what an AdmissionConfiguration holds for PodSecurity. Throws an Error that names all fields that are wrong. */
export function readPodSecurityConfiguration(value: unknown): PodSecurityConfiguration {
  if (value === undefined || value === null) return defaultPodSecurityConfiguration;
  const {
    apiVersion,
    kind,
    defaults = {},
    exemptions = {},
  } = value as {
    apiVersion?: string;
    kind?: string;
    defaults?: Record<string, string>;
    exemptions?: Record<string, string[] | undefined>;
  };
  if (!apiVersions.includes(apiVersion ?? '') || kind !== 'PodSecurityConfiguration')
    throw new Error(
      `PodSecurity: expected a PodSecurityConfiguration of ${apiVersions.join(' or ')}, found ${kind} of ${apiVersion}`,
    );
  const problems: string[] = [];
  const mode = (name: string): LevelVersion => {
    const [level = 'privileged', version = 'latest'] = [defaults[name], defaults[`${name}-version`]];
    const [parsed, minor] = [parseLevel(level), parseMinor(version)];
    if (!parsed) problems.push(`defaults.${name}: Invalid value: ${JSON.stringify(level)}: ${levelsWanted}`);
    if (minor === undefined)
      problems.push(`defaults.${name}-version: Invalid value: ${JSON.stringify(version)}: ${versionWanted}`);
    return { level: parsed ?? 'restricted', minor: minor ?? Infinity };
  };
  const list = (name: string, check: (item: string) => readonly string[]): readonly string[] => {
    const items = exemptions[name] ?? [];
    for (const [index, item] of items.entries()) {
      const field = `exemptions.${name}[${index}]`;
      const wrong = check(item);
      if (wrong.length > 0) problems.push(`${field}: Invalid value: ${JSON.stringify(item)}: ${wrong.join(', ')}`);
      else if (items.indexOf(item) < index) problems.push(`${field}: Duplicate value: ${JSON.stringify(item)}`);
    }
    return items;
  };
  const read: PodSecurityConfiguration = {
    defaults: { enforce: mode('enforce'), audit: mode('audit'), warn: mode('warn') },
    exemptions: {
      namespaces: list('namespaces', dns1123Label),
      runtimeClasses: list('runtimeClasses', dns1123Subdomain),
      usernames: list('usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
    },
  };
  if (problems.length > 0) throw new Error(`PodSecurity: ${problems.join('; ')}`);
  return read;
}
