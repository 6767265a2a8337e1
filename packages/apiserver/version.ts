import { type Compatibility, ownRelease } from '@kubernode/api';

/** The release whose API is served; published documents name it. */
export const releaseVersion = ownRelease.emulated;

export type Version = typeof version;

/** What is told of a server that behaves as another release. */
export function versionOf({ emulated, oldest }: Compatibility = ownRelease): Version {
  const [emulationMajor = '', emulationMinor = ''] = emulated.split('.');
  const [minCompatibilityMajor = '', minCompatibilityMinor = ''] = oldest.split('.');
  return { ...version, emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor };
}

/** The Kubernetes release whose API is served, as GET /version tells it. */
export const version = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: 'v1.37.1+kubernode',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
