import { RuntimeClass } from '../../generated/types/node/v1.ts';
import { dns1123Label } from '@kubernode/machinery';
import { each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { resourceRequirements } from '../../rules/resources.ts';
import { labels } from '../../rules/metadata.ts';
import { toleration } from '../../rules/pod/scheduling.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

type Overhead = NonNullable<RuntimeClass['overhead']>;
type Scheduling = NonNullable<RuntimeClass['scheduling']>;

const overhead: Rule<Overhead> = ({ podFixed }, path) =>
  podFixed ? resourceRequirements(new Set())({ limits: podFixed }, path) : [];

export const runtimeClass = define(RuntimeClass, {
  validate: validate<RuntimeClass>(
    fields<RuntimeClass>({
      handler: [required, format(dns1123Label)],
      overhead,
      scheduling: fields<Scheduling>({ nodeSelector: labels, tolerations: each(toleration) }),
    }),
  ),
  validateUpdate: validateUpdate<RuntimeClass>(fields<RuntimeClass>({ handler: immutable })),
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object, nowMs) => [object.metadata.name, object.handler, age(object, nowMs)],
});
