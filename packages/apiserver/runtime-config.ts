import { scheme } from '@kubernode/api';

/**
 * Which APIs are served, as upstream's `--runtime-config`: `api/all=true`, `api/beta=false`, `batch/v1=false`,
 * `resource.k8s.io/v1beta1/devicetaintrules=true`. The most exact entry decides; without one, the facts' default.
 */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

interface Served {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly servedByDefault: boolean;
}

/** Behind feature gates that are off: only an entry of their own turns them on. */
const gated: ReadonlySet<string> = new Set([
  'lifecycle.k8s.io/v1alpha1',
  'scheduling.k8s.io/v1alpha3',
  'scheduling.k8s.io/v1beta1',
]);

export function isServed({ group, version, plural, servedByDefault }: Served, config: RuntimeConfig): boolean {
  const groupVersion = `${group || 'api'}/${version}`;
  const stage = version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';
  return (
    config[`${groupVersion}/${plural}`] ??
    config[groupVersion] ??
    config[`api/${stage}`] ??
    (gated.has(groupVersion) ? undefined : config['api/all']) ??
    servedByDefault
  );
}

/** `api/all=true,batch/v1=false`. Throws on what is neither true nor false, and on APIs that there are not. */
export function parseRuntimeConfig(text: string): RuntimeConfig {
  const config: Record<string, boolean> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [key = '', value = 'true'] = part.trim().split('=');
    if (value !== 'true' && value !== 'false') {
      throw new Error(`"${part}" is not understood: expected <group>/<version>=true or false`);
    }
    checkKey(key);
    config[key] = value === 'true';
  }
  return config;
}

const wholeStages: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha']);

/** Throws, in upstream's words, for an API that no version of this server could serve. */
function checkKey(key: string): void {
  if (wholeStages.has(key)) return;
  const [prefix = '', version, plural] = key.split('/');
  if (version === undefined) throw new Error(`invalid key ${key}`);
  const group = prefix === 'api' ? '' : prefix;
  const ofGroup = scheme.resources.filter((resource) => resource.group === group);
  if (ofGroup.length === 0) throw new Error(`unknown api groups ${prefix}`);
  const ofVersion = ofGroup.filter((resource) => resource.version === version);
  if (ofVersion.length === 0) {
    throw new Error(`group version ${prefix}/${version} that has not been registered`);
  }
  if (plural !== undefined && !ofVersion.some((resource) => resource.plural === plural)) {
    throw new Error(`there is no resource ${plural} in ${prefix}/${version}`);
  }
}
