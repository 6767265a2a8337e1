import { trimEndOf } from '@kubernode/machinery';
import type { Volume, VolumeProjection } from '../../generated/types/core/v1.ts';

interface PathOf {
  readonly path: string;
  /** Where it comes from, of a volume with several sources. */
  readonly source: string;
}

const text = ({ path, source }: PathOf) => (source ? `${JSON.stringify(path)} (${source})` : JSON.stringify(path));

/** Files of one volume that hide each other: the same path twice, or one below the other. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume;
    const found: string[] = [];
    const warn = (description: string, paths: readonly PathOf[]) =>
      found.push(...overlaps(paths).map((body) => `volume "${name}" (${description}): overlapping paths: ${body}`));
    if (configMap) warn(`ConfigMap "${configMap.name ?? ''}"`, pathsOf(configMap.items));
    if (secret) warn(`Secret "${secret.secretName ?? ''}"`, pathsOf(secret.items));
    if (downwardAPI) warn('DownwardAPI', pathsOf(downwardAPI.items));
    if (!projected) return found;
    const paths: PathOf[] = [];
    for (const source of projected.sources ?? []) {
      if (isEmpty(source)) {
        found.push(`volume "${name}" (Projected) has no sources provided`);
      } else paths.push(...projectedPaths(source));
    }
    warn('Projected', paths);
    return found;
  });
}

function isEmpty(source: VolumeProjection): boolean {
  for (const name in source) if (source[name as keyof VolumeProjection] !== undefined) return false;
  return true;
}

const pathsOf = (items: readonly { readonly path: string }[] | undefined, source = ''): PathOf[] =>
  (items ?? []).map(({ path }) => ({ path, source }));

/** Of a source that has several kinds of content only the first counts. */
function projectedPaths(projection: VolumeProjection): PathOf[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (configMap?.items) return pathsOf(configMap.items, `ConfigMap "${configMap.name ?? ''}"`);
  if (secret?.items) return pathsOf(secret.items, `Secret "${secret.name ?? ''}"`);
  if (downwardAPI?.items) return pathsOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  if (clusterTrustBundle) {
    const { name, signerName, path } = clusterTrustBundle;
    return [{ path, source: `ClusterTrustBundle "${name ?? signerName ?? ''}"` }];
  }
  const certificate: readonly (readonly [path: string | undefined, what: string])[] = [
    [podCertificate?.certificateChainPath, 'chain'],
    [podCertificate?.keyPath, 'key'],
    [podCertificate?.credentialBundlePath, 'credential bundle'],
  ];
  return certificate.flatMap(([path, what]) => (path ? [{ path, source: `PodCertificate ${what}` }] : []));
}

function overlaps(paths: readonly PathOf[]): string[] {
  const found: string[] = [];
  const before: (PathOf & { readonly start: string })[] = [];
  for (const { path: written, source } of paths) {
    const path = trimEndOf(written, '/');
    if (path === '') continue;
    const one = { path, source, start: `${path}/` };
    for (const other of before) {
      if (one.start.startsWith(other.start) || other.start.startsWith(one.start)) {
        found.push(`${text(one)} with ${text(other)}`);
      }
    }
    before.push(one);
  }
  return found;
}
