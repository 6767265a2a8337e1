import { ServiceAccount } from '../../generated/types/core/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const serviceAccount = define(ServiceAccount, {
  /** A reference to a secret is its name; upstream's storage keeps nothing else of it. */
  defaults({ secrets }) {
    secrets?.forEach(({ name }, index) => (secrets[index] = name ? { name } : {}));
  },
  row: (object, nowMs) => [object.metadata.name, age(object, nowMs)],
});
