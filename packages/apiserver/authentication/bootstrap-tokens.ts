import { timingSafeEqual } from 'node:crypto';
import type { User } from '@kubernode/api';
import type { Secret } from '@kubernode/api/core/v1';
import { BoundedMap, parseTime, type Clock } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { authenticated } from './groups.ts';
import type { TokenAuthenticator } from './outcome.ts';

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const rememberedMax = 1000;

/**
 * `--enable-bootstrap-token-auth`: tokens `ID.SECRET` of Secrets `bootstrap-token-ID` in kube-system, by which nodes join.
 * What is wrong with such a Secret is not told: the token is not known then.
 */
export function bootstrapTokens(state: ClusterState, clock: Clock): TokenAuthenticator {
  const users = new BoundedMap<string, User>(rememberedMax);
  return {
    identify(token, audiences) {
      const [, id, secret] = tokenPattern.exec(token) ?? [];
      if (!id || !secret) return undefined;
      const stored = state.get('', 'secrets', `bootstrap-token-${id}`, 'kube-system') as Secret | undefined;
      if (!stored || !isGood(stored, id, secret, clock.now())) return undefined;
      const groups = groupsOf(stored);
      if (!groups) return undefined;
      const key = `${id}\n${groups.join('\n')}`;
      let user = users.get(key);
      if (!user) {
        user = authenticated({ name: `system:bootstrap:${id}`, groups });
        users.set(key, user);
      }
      return { user, audiences };
    },
  };
}

const field = ({ data }: Secret, name: string): string =>
  Buffer.from((data as Record<string, string> | undefined)?.[name] ?? '', 'base64').toString('utf8');

function isGood(stored: Secret, id: string, secret: string, nowMs: number): boolean {
  if (stored.metadata.deletionTimestamp || stored.type !== 'bootstrap.kubernetes.io/token') return false;
  if (!isSame(field(stored, 'token-secret'), secret) || field(stored, 'token-id') !== id) return false;
  const expiration = field(stored, 'expiration');
  // A time that cannot be read counts as past.
  if (expiration !== '' && (parseTime(expiration) ?? 0) <= nowMs) return false;
  return field(stored, 'usage-bootstrap-authentication') === 'true';
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Sorted; undefined where one of them is no group of bootstrappers. */
function groupsOf(stored: Secret): string[] | undefined {
  const extra = field(stored, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  if (!groups.every((group) => groupPattern.test(group))) return undefined;
  return [...new Set(['system:bootstrappers', ...groups])].sort();
}
