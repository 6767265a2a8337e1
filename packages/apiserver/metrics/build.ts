import type { IsEnabled } from '@kubernode/api';
import type { Version } from '../version.ts';
import type { MetricsRegistry } from './registry.ts';

/** The stage of each feature gate, as the facts tell it: ALPHA, BETA, '' for what is there for good. */
export type GateStages = Readonly<Record<string, string>>;

/** What runs, and which features are on. */
export function buildMetrics(
  registry: MetricsRegistry,
  stages: GateStages,
  isEnabled: IsEnabled,
  version: Version,
): void {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version;
  const labels = { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform };
  const info = registry.gauge({
    name: 'kubernetes_build_info',
    help:
      "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build " +
      'date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.',
    stability: 'BETA',
    labels: Object.keys(labels).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  });
  const compatibility = registry.gauge({
    name: 'version_info',
    help:
      'Provides the compatibility version info of the component. The component label is the name of the component, ' +
      'usually kube, but is relevant for aggregated-apiservers.',
    stability: 'ALPHA',
    labels: ['component', 'binary', 'emulation', 'min_compat'],
  });
  const features = registry.gauge({
    name: 'kubernetes_feature_enabled',
    help: 'This metric records the data about the stage and enablement of a k8s feature.',
    stability: 'BETA',
    labels: ['name', 'stage'],
  });
  const emulated = `${version.emulationMajor}.${version.emulationMinor}`;
  const oldest = `${version.minCompatibilityMajor}.${version.minCompatibilityMinor}`;
  registry.onCollect(() => {
    info.of(...Object.values(labels)).set(1);
    compatibility.of('kube', gitVersion.replace(/^v|\+.*$/g, ''), emulated, oldest).set(1);
    for (const [name, stage] of Object.entries(stages)) features.of(name, stage).set(isEnabled(name) ? 1 : 0);
  });
}
