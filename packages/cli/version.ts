import manifest from './package.json' with { type: 'json' };

export const versions = {
  kubernode: manifest.version,
  /** The release of Kubernetes whose API is served. */
  kubernetes: 'v1.37.1',
  node: process.version,
} as const;
