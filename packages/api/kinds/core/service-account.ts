import { ServiceAccount } from '../../generated/types/core/v1.ts';
import { annotationWarnings } from '../../rules/warnings.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const enforced = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccount = define(ServiceAccount, {
  rechecksName: true,
  warnings: ({ metadata }, old) =>
    old?.metadata.annotations?.[enforced] === undefined
      ? annotationWarnings(metadata.annotations, {
          [enforced]: 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
        })
      : [],
  /** A reference to a secret is its name; upstream's storage keeps nothing else of it. */
  defaults({ secrets }) {
    secrets?.forEach(({ name }, index) => (secrets[index] = name ? { name } : {}));
  },
  row: (object) => [object.metadata.name, age(object)],
});
