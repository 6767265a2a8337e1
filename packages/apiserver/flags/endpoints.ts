import { endpointReconcilerTypes } from '../bootstrap/endpoint-reconciler.ts';
import { integer, parsed, textOr } from './flag.ts';
import { flagGroup } from './group.ts';

/** Who is behind the Service `kubernetes`. */
export const endpointFlags = flagGroup({
  title: 'endpoints',
  flags: {
    'endpoint-reconciler-type': parsed(
      textOr('<type>', "who keeps the endpoints of the Service 'kubernetes': lease, master-count, none", 'lease'),
      (text) => {
        const type = endpointReconcilerTypes.find((name) => name === text);
        if (!type) throw new Error(`must be one of: ${endpointReconcilerTypes.join(', ')}`);
        return type;
      },
    ),
    'apiserver-count': parsed(integer('<number>', 'how many API servers there are (for master-count)', 1), (count) => {
      if (count < 1) throw new Error('must be a positive number');
      return count;
    }),
  },
  toOptions: (values) => ({
    security: {
      endpointReconciler: values['endpoint-reconciler-type'],
      apiServerCount: values['apiserver-count'],
    },
  }),
});
