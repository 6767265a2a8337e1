import { scheme, type IsEnabled } from '@kubernode/api';

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

/**
 * Resources behind feature gates, by group and plural. Where the gate is off, whole stages do not turn them on (upstream
 * has them not at all); an entry of their own does.
 */
const gates: Readonly<Record<string, string>> = {
  'lifecycle.k8s.io/evictionrequests': 'EvictionRequestAPI',
  'lifecycle.k8s.io/evictions': 'EvictionRequestAPI',
  'scheduling.k8s.io/compositepodgroups': 'CompositePodGroup',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
};

/** Whether a resource is there, by the flags `--runtime-config` and `--feature-gates`. */
export function isServed(
  { group, version, plural, servedByDefault }: Served,
  config: RuntimeConfig,
  isEnabled: IsEnabled,
): boolean {
  const groupVersion = `${group || 'api'}/${version}`;
  const stage = version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';
  const own = config[`${groupVersion}/${plural}`] ?? config[groupVersion];
  if (own !== undefined) return own;
  const gate = gates[`${group}/${plural}`];
  if (gate !== undefined && !isEnabled(gate)) return false;
  return config[`api/${stage}`] ?? config['api/all'] ?? servedByDefault;
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
