import { RuntimeClass } from '../../generated/types/node/v1.ts';
import { dns1123Label } from '@kubernode/machinery';
import type { Toleration } from '../../generated/types/core/v1.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { duplicate } from '../../rules/cause.ts';
import { deprecatedNodeLabel } from '../../rules/node-labels.ts';
import { overhead } from '../../rules/resources/resources.ts';
import { labels } from '../../rules/metadata.ts';
import { toleration } from '../../rules/pod/scheduling.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

type Overhead = NonNullable<RuntimeClass['overhead']>;
type Scheduling = NonNullable<RuntimeClass['scheduling']>;

/** By what tells tolerations apart; how long they hold is not part of that. */
const noneTwice: Rule<readonly Toleration[]> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap((one, index) => {
    const key = JSON.stringify([one.key ?? '', one.operator ?? '', one.value ?? '', one.effect ?? '']);
    if (seen.has(key)) return [duplicate(`${path}[${index}]`, one)];
    seen.add(key);
    return [];
  });
};

const fixedOverhead: Rule<Overhead> = ({ podFixed }, path) => (podFixed ? overhead(podFixed, path) : []);

export const runtimeClass = define(RuntimeClass, {
  validate: validate<RuntimeClass>(
    fields<RuntimeClass>({
      // The markers stop at a change; then this is still to be said.
      handler: [required, format(dns1123Label)],
      overhead: fixedOverhead,
      scheduling: fields<Scheduling>({
        nodeSelector: labels,
        tolerations: all<readonly Toleration[]>(each(toleration), noneTwice),
      }),
    }),
  ),
  validateUpdate: validateUpdate<RuntimeClass>(fields<RuntimeClass>({ handler: immutable })),
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
      const why = deprecatedNodeLabel(key);
      return why ? [`scheduling.nodeSelector: ${why}`] : [];
    }),
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object) => [object.metadata.name, object.handler, age(object)],
});
