import { ownRelease } from '@kubernode/api';
import { checkEmulated, checkFeatureGates, oldestRelease, parseFeatureGates, parseRelease } from '../feature-gates.ts';
import { parseRuntimeConfig } from '../runtime-config.ts';
import { list, parsed, textOr } from './flag.ts';
import { flagGroup, withFlag } from './group.ts';

/** Which APIs there are, with which features, and what Services get. */
export const servingFlags = flagGroup({
  title: 'serving',
  flags: {
    'feature-gates': parsed(list('<list>', 'feature gates: Name=true,Other=false'), (parts = []) =>
      parseFeatureGates(parts.join(',')),
    ),
    'emulated-version': parsed(
      list('<release>', 'release whose feature gates are had: 1.34 to 1.37', ownRelease.emulated),
      (versions = []) => parseRelease(versions),
    ),
    'min-compatibility-version': parsed(
      list('<release>', 'oldest release to get along with: the one before the emulated'),
      (versions = []) => parseRelease(versions),
    ),
    'runtime-config': parsed(
      list('<list>', 'API versions to turn on or off: api/all=true,batch/v1=false'),
      (parts = []) => parseRuntimeConfig(parts.join(',')),
    ),
    'service-node-port-range': parsed(textOr('<range>', 'ports of NodePort Services', '30000-32767'), portRange),
  },
  toOptions(values) {
    const { 'feature-gates': featureGates, 'emulated-version': emulated = ownRelease.emulated } = values;
    withFlag('emulated-version', () => checkEmulated(emulated));
    const oldest = withFlag('min-compatibility-version', () =>
      oldestRelease(values['min-compatibility-version'], emulated),
    );
    const release = { emulated, oldest };
    withFlag('feature-gates', () => checkFeatureGates(featureGates, release));
    return {
      server: {
        featureGates,
        release,
        runtimeConfig: values['runtime-config'],
        serviceNodePortRange: values['service-node-port-range'],
      },
    };
  },
});

function portRange(text: string): { first: number; last: number } {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (!first || !last || Number(first) > Number(last) || Number(last) > 65_535) {
    throw new Error(`${JSON.stringify(text)} is not a range such as 30000-32767`);
  }
  return { first: Number(first), last: Number(last) };
}
