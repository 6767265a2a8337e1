import type {
  ClusterTrustBundleProjection,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { each, fields, type Rule } from '../rule.ts';
import { required } from '../values.ts';
import { localNonReservedPath } from './paths.ts';
import { downwardFile, fileMode, keyToPath } from './files.ts';

const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;
const keyTypes = ['ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519', 'RSA3072', 'RSA4096'];

type Items = { name: string; items?: KeyToPath[] | undefined };
const named: Rule<Items> = (source, path) =>
  fields<Items>({ name: required, items: each<KeyToPath>((item, at) => keyToPath(item, at)) })(source, path);

/** A token's path is reported at the volume, not at the source. */
const token = (source: ServiceAccountTokenProjection, path: string, volumePath: string): FieldCause[] => {
  const { expirationSeconds: seconds, path: file } = source;
  const at = `${path}.expirationSeconds`;
  const found: FieldCause[] = [];
  if (seconds !== undefined && seconds < tokenSecondsMin)
    found.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds !== undefined && seconds > tokenSecondsMax)
    found.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!file) found.push(requiredCause(`${volumePath}.path`));
  else found.push(...localNonReservedPath(file, `${volumePath}.path`));
  return found;
};

const clusterTrustBundle: Rule<ClusterTrustBundleProjection> = ({ name, signerName, path: file }, path) => {
  const found: FieldCause[] = [];
  if (name !== undefined && signerName !== undefined)
    found.push(invalid(path, null, 'only one of name and signerName may be used'));
  if (name === undefined && signerName === undefined)
    found.push(requiredCause(path, 'either name or signerName must be used'));
  if (file) found.push(...localNonReservedPath(file, `${path}.path`));
  else found.push(requiredCause(`${path}.path`));
  return found;
};

const podCertificate: Rule<PodCertificateProjection> = (source, path) => {
  const { signerName, keyType, credentialBundlePath, keyPath, certificateChainPath } = source;
  const found: FieldCause[] = [];
  if (!signerName) found.push(requiredCause(`${path}.signerName`));
  if (!keyTypes.includes(keyType ?? '')) found.push(notSupported(`${path}.keyType`, keyType ?? '', keyTypes));
  if (!credentialBundlePath && !keyPath && !certificateChainPath) {
    found.push(requiredCause(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
  }
  return found;
};

/** One source of a projected volume: the first that is set is checked, any further one forbidden. */
function sourceCauses(source: VolumeProjection, path: string, volumePath: string): FieldCause[] {
  const checks: [unknown, () => readonly FieldCause[]][] = [
    [source.secret, () => named(source.secret as Items, `${path}.secret`)],
    [source.configMap, () => named(source.configMap as Items, `${path}.configMap`)],
    [
      source.downwardAPI,
      () => (source.downwardAPI?.items ?? []).flatMap((file) => downwardFile(file, `${path}.downwardAPI`)),
    ],
    [
      source.serviceAccountToken,
      () => token(source.serviceAccountToken ?? { path: '' }, `${path}.serviceAccountToken`, volumePath),
    ],
    [
      source.clusterTrustBundle,
      () => clusterTrustBundle(source.clusterTrustBundle ?? { path: '' }, `${path}.clusterTrustBundle`),
    ],
    [
      source.podCertificate,
      () => podCertificate(source.podCertificate as PodCertificateProjection, `${path}.podCertificate`),
    ],
  ];
  const set = checks.filter(([value]) => value !== undefined && value !== null);
  const found = set.flatMap(([, check]) => [...check()]);
  for (let extra = 1; extra < set.length; extra++)
    found.push(forbidden(path, `may not specify more than 1 volume type per source`));
  return set.length > 0 ? found : [requiredCause(path, 'must specify exactly one of the supported volume types')];
}

export const projected: Rule<ProjectedVolumeSource> = ({ sources, defaultMode }, path) => {
  const found = defaultMode === undefined ? [] : [...fileMode(defaultMode, `${path}.defaultMode`)];
  sources.forEach((source, index) => found.push(...sourceCauses(source, `${path}.sources[${index}]`, path)));
  return found;
};
