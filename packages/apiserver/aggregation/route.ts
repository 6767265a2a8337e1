import type { Call } from '../context.ts';
import type { RemoteVersion } from './extension.ts';

/** The extension server that a call's path is for: everything at and below `/apis/<group>/<version>`. */
export function extensionOf({ route, request, server }: Call): RemoteVersion | undefined {
  const { aggregation } = server;
  if (aggregation.remotes.length === 0) return undefined;
  const { attributes, isResource } = route;
  if (isResource) return aggregation.find(attributes.group, attributes.version);
  const [, root, group = '', version = ''] = request.path.split('/');
  if (root === 'api') return group === '' ? undefined : aggregation.find('', group);
  return root === 'apis' && version !== '' ? aggregation.find(group, version) : undefined;
}
