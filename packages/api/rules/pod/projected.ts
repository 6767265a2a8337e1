import { isKubernetesSigner, signerName as signerNameCauses } from '../certificates/signer-name.ts';
import { trustBundleName } from '../certificates/trust-bundle.ts';
import type {
  ClusterTrustBundleProjection,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../generated/types/core/v1.ts';
import { qualifiedName } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { annotations } from '../metadata.ts';
import { each, fields, type Rule } from '../rule.ts';
import { labelSelector } from '../selector.ts';
import { required } from '../values.ts';
import { downwardFile, fileMode, keyToPath } from './files.ts';
import { localNonReservedPath } from './paths.ts';

const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;
const keyTypes = ['ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519', 'RSA3072', 'RSA4096'];
const certificateSecondsMin = 3600;
const daySeconds = 24 * 60 * 60;
const certificateSecondsMax = 91 * daySeconds;

type Items = { name: string; items?: KeyToPath[] | undefined };
const named = fields<Items>({ name: required, items: each<KeyToPath>(keyToPath) });

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

const clusterTrustBundle: Rule<ClusterTrustBundleProjection> = (source, path) => {
  const { name, signerName, labelSelector: selector, path: file } = source;
  const found: FieldCause[] = [];
  if (name !== undefined && signerName !== undefined)
    found.push(invalid(path, null, 'only one of name and signerName may be used'));
  else if (name !== undefined) found.push(...bundleName(name, `${path}.name`, selector && `${path}.labelSelector`));
  else if (signerName !== undefined) {
    if (!signerName) found.push(requiredCause(`${path}.signerName`, 'must be a valid signer name'));
    found.push(...signerNameCauses(signerName, `${path}.signerName`));
    if (selector) found.push(...labelSelector(selector, `${path}.labelSelector`));
  } else found.push(requiredCause(path, 'either name or signerName must be specified'));
  if (!file) found.push(requiredCause(`${path}.path`));
  return [...found, ...localNonReservedPath(file ?? '', `${path}.path`)];
};

/** The name of one bundle; those of a signer start with its name. */
function bundleName(name: string, path: string, selectorPath: string | undefined): FieldCause[] {
  const found = name ? [] : [requiredCause(path, 'must be a valid object name')];
  const signer = name.includes(':') ? name.slice(0, name.lastIndexOf(':')).replaceAll(':', '/') : '';
  for (const detail of trustBundleName(name, false, signer))
    found.push(invalid(path, name, `not a valid clustertrustbundlename: ${detail}`));
  if (selectorPath) found.push(invalid(selectorPath, {}, 'labelSelector must be unset if name is specified'));
  return found;
}

const podCertificate: Rule<PodCertificateProjection> = (source, path) => {
  const { signerName = '', keyType, maxExpirationSeconds: seconds, userAnnotations = {} } = source;
  const found = [...signerNameCauses(signerName, `${path}.signerName`)];
  found.push(...annotations(userAnnotations, `${path}.userAnnotations`));
  for (const key of Object.keys(userAnnotations)) {
    if (!key.includes('/') && qualifiedName(key).length === 0)
      found.push(invalid(`${path}.userAnnotations`, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
  }
  if (!keyTypes.includes(keyType ?? '')) found.push(notSupported(`${path}.keyType`, keyType ?? '', keyTypes));
  if (seconds !== undefined) found.push(...certificateSeconds(seconds, signerName, `${path}.maxExpirationSeconds`));
  const files = certificateFiles.filter((name) => source[name]);
  for (const name of files) found.push(...localNonReservedPath(source[name] ?? '', `${path}.${name}`));
  if (files.length === 0) {
    found.push(requiredCause(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
  }
  return found;
};

const certificateFiles = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

function certificateSeconds(seconds: number, signer: string, path: string): FieldCause[] {
  const max = isKubernetesSigner(signer) ? daySeconds : certificateSecondsMax;
  const detail = (bound: string) => `if provided, maxExpirationSeconds must be ${bound}`;
  if (seconds < certificateSecondsMin) return [invalid(path, seconds, detail(`>= ${certificateSecondsMin}`))];
  return seconds > max ? [invalid(path, seconds, detail(`<= ${max}`))] : [];
}

/** One source of a projected volume, which should be of one sort only. */
function sourceCauses(source: VolumeProjection, path: string, volumePath: string): readonly FieldCause[] {
  const {
    secret,
    configMap,
    downwardAPI,
    serviceAccountToken,
    clusterTrustBundle: bundle,
    podCertificate: pair,
  } = source;
  const found: FieldCause[] = [];
  if (secret) found.push(...named(secret as Items, `${path}.secret`));
  if (configMap) found.push(...named(configMap as Items, `${path}.configMap`));
  for (const file of downwardAPI?.items ?? []) found.push(...downwardFile(file, `${path}.downwardAPI`));
  if (serviceAccountToken) found.push(...token(serviceAccountToken, `${path}.serviceAccountToken`, volumePath));
  if (bundle) found.push(...clusterTrustBundle(bundle, `${path}.clusterTrustBundle`));
  if (pair) found.push(...podCertificate(pair, `${path}.podCertificate`));
  let count = 0;
  for (const name in source) if (source[name as keyof VolumeProjection]) count += 1;
  if (count > 1) found.push(forbidden(path, 'may not specify more than 1 volume type per source'));
  return found;
}

/** The files that a source makes; tokens are not among them, as upstream's. */
function filesOf({
  secret,
  configMap,
  downwardAPI,
  clusterTrustBundle: bundle,
  podCertificate: pair,
}: VolumeProjection): readonly string[] {
  const files: string[] = [];
  for (const list of [secret?.items, configMap?.items, downwardAPI?.items]) {
    list?.forEach(({ path }) => path && files.push(path));
  }
  if (bundle) files.push(bundle.path ?? '');
  if (pair) files.push(...certificateFiles.flatMap((name) => pair[name] || []));
  return files;
}

export const projected: Rule<ProjectedVolumeSource> = ({ sources, defaultMode }, path) => {
  const found = defaultMode === undefined ? [] : [...fileMode(defaultMode, `${path}.defaultMode`)];
  const taken = new Set<string>();
  sources.forEach((source, index) => {
    found.push(...sourceCauses(source, `${path}.sources[${index}]`, path));
    for (const file of filesOf(source)) {
      if (taken.has(file)) found.push(invalid(path, file, 'conflicting duplicate paths'));
      taken.add(file);
    }
  });
  return found;
};
