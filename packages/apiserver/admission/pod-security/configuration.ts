import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import { Problems } from '../../component-config/problems.ts';
import { pluginConfiguration } from '../configuration/plugin-configuration.ts';
import { levelsWanted, parseLevel, parseMinor, versionWanted, type Policy } from './policy.ts';
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

const modes = { enforce: null, 'enforce-version': null, audit: null, 'audit-version': null };
const kind = {
  group: 'pod-security.admission.config.k8s.io',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  kind: 'PodSecurityConfiguration',
  fields: {
    defaults: { ...modes, warn: null, 'warn-version': null },
    exemptions: { usernames: null, namespaces: null, runtimeClasses: null },
  },
};

interface Written {
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Reads what an AdmissionConfiguration holds for PodSecurity. Throws an Error that names all fields that are wrong. */
export function readPodSecurityConfiguration(value: unknown): PodSecurityConfiguration {
  const { defaults = {}, exemptions = {} } = pluginConfiguration<Written>(value, kind);
  const problems = new Problems();
  const mode = (name: string): LevelVersion => {
    const level = defaults[name] || 'privileged';
    const version = defaults[`${name}-version`] || 'latest';
    const [parsed, minor] = [parseLevel(level), parseMinor(version)];
    if (!parsed) problems.invalid(`defaults.${name}`, level, levelsWanted);
    if (minor === undefined) problems.invalid(`defaults.${name}-version`, version, versionWanted);
    return { level: parsed ?? 'restricted', minor: minor ?? Infinity };
  };
  const list = (name: string, check: (item: string) => readonly string[]): readonly string[] => {
    const items = exemptions[name] ?? [];
    for (const [index, item] of items.entries()) {
      const field = `exemptions.${name}[${index}]`;
      const wrong = check(item);
      if (wrong.length > 0) problems.invalid(field, item, wrong.join(', '));
      else if (items.indexOf(item) < index) problems.duplicate(field, item);
    }
    return items;
  };
  const [enforce, warn, audit] = [mode('enforce'), mode('warn'), mode('audit')];
  const read: PodSecurityConfiguration = {
    defaults: { enforce, audit, warn },
    exemptions: {
      namespaces: list('namespaces', dns1123Label),
      runtimeClasses: list('runtimeClasses', dns1123Subdomain),
      usernames: list('usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
    },
  };
  problems.throwIfAny();
  return read;
}
