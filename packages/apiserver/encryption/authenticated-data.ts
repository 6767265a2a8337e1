import { scheme } from '@kubernode/api';
import { nameOfKey } from '../storage/keys.ts';

/** Where upstream keeps what is not under its plural. */
const renamed: Readonly<Record<string, string>> = {
  '/services': 'services/specs',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
};

/** Groups whose keys upstream begins with their name. */
const namedGroups: ReadonlySet<string> = new Set(['apiregistration.k8s.io', 'apiextensions.k8s.io']);

/**
 * What an encrypted value is bound to: upstream's key of the object, so that a value moves between the two stores as it
 * is, and nowhere else.
 */
export function authenticatedData(key: string, prefix: string, group: string, resource: string): Buffer {
  const { namespace, name } = nameOfKey(key, prefix);
  const isBuiltIn = !namedGroups.has(group) && (group === '' || scheme.groups.some((each) => each.group === group));
  const place = renamed[`${group}/${resource}`] ?? (isBuiltIn ? resource : `${group}/${resource}`);
  return Buffer.from(`/registry/${place}/${namespace ? `${namespace}/` : ''}${name}`);
}
