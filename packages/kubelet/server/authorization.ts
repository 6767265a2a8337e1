import type { User } from '@kubernode/api';
import { SubjectAccessReview } from '@kubernode/api/authorization/v1';
import type { Client } from '@kubernode/client';
import type { Clock } from '@kubernode/machinery';
import { TimedCache } from './timed-cache.ts';

/** What of the node a request wants: any one of the subresources is enough. */
export interface KubeletAttributes {
  readonly verb: string;
  readonly subresources: readonly string[];
  readonly nodeName: string;
}

export type KubeletAuthorizer = (user: User, attributes: KubeletAttributes) => Promise<boolean>;

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Which subresource of `nodes` a path is (upstream: NodeRequestAttributesGetter, with fine-grained ones, KEP 2862). */
export function kubeletAttributes(method: string, path: string, nodeName: string): KubeletAttributes {
  const under = (prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
  const fine: Readonly<Record<string, string>> = {
    '/configz': 'configz',
    '/pods': 'pods',
    '/runningpods': 'pods',
    '/healthz': 'healthz',
  };
  const own = Object.entries(fine).find(([prefix]) => under(prefix))?.[1];
  let subresources = own ? [own, 'proxy'] : ['proxy'];
  if (under('/stats')) subresources = ['stats'];
  else if (under('/metrics')) subresources = ['metrics'];
  else if (under('/logs')) subresources = ['log'];
  else if (under('/checkpoint')) subresources = ['checkpoint'];
  return { verb: verbs[method] ?? method.toLowerCase(), subresources, nodeName };
}

const allowedTtlMs = 300_000;
const deniedTtlMs = 30_000;

/** Asks the API server; a yes holds for 5 minutes, a no for 30 seconds. */
export function delegatedAuthorization({ client, clock }: { client: Client; clock: Clock }): KubeletAuthorizer {
  const answers = new TimedCache<boolean>(clock);
  return async (user, { verb, subresources, nodeName }) => {
    for (const subresource of subresources) {
      const key = JSON.stringify([user.name, user.groups, user.extra, verb, subresource]);
      const ttlMs = (allowed: boolean) => (allowed ? allowedTtlMs : deniedTtlMs);
      const allowed = await answers.get(key, ttlMs, async () => {
        const resourceAttributes = { verb, group: '', version: 'v1', resource: 'nodes', subresource, name: nodeName };
        const { status } = await client.create(SubjectAccessReview, {
          spec: {
            user: user.name,
            groups: [...user.groups],
            ...(user.uid ? { uid: user.uid } : {}),
            ...(user.extra
              ? { extra: Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]])) }
              : {}),
            resourceAttributes,
          },
        });
        return status?.allowed ?? false;
      });
      if (allowed) return true;
    }
    return false;
  };
}
