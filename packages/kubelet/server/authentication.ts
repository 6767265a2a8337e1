import type { TLSSocket } from 'node:tls';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { User } from '@kubernode/api';
import { TokenReview } from '@kubernode/api/authentication/v1';
import type { Client } from '@kubernode/client';
import type { Clock } from '@kubernode/machinery';
import { TimedCache } from './timed-cache.ts';

/** Finds out who makes a request; undefined: nobody known, 'anonymous' has no credentials at all. */
export type KubeletAuthenticator = (request: IncomingMessage) => Promise<User | 'anonymous' | undefined>;

const tokenTtlMs = 120_000;

/** Client certificates of the cluster's CA, and bearer tokens that the API server knows (cached for 2 minutes). */
export function delegatedAuthentication({ client, clock }: { client: Client; clock: Clock }): KubeletAuthenticator {
  const tokens = new TimedCache<User | undefined>(clock);
  return async (request) => {
    const certificate = certificateUser(request);
    if (certificate) return certificate;
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || !token) return 'anonymous';
    const key = createHash('sha256').update(token).digest('base64');
    return tokens.get(key, tokenTtlMs, async () => {
      const { status } = await client.create(TokenReview, { spec: { token } });
      const { authenticated, user } = status ?? {};
      if (!authenticated || !user?.username) return undefined;
      return { name: user.username, uid: user.uid, groups: user.groups ?? [], extra: user.extra };
    });
  };
}

/** TLS has verified the chain against the CA; name and groups are in the subject. */
function certificateUser({ socket }: IncomingMessage): User | undefined {
  const tls = socket as TLSSocket;
  if (!tls.authorized) return undefined;
  const subject: { CN?: string | string[]; O?: string | string[] } = tls.getPeerCertificate().subject ?? {};
  const [name] = [subject.CN ?? []].flat();
  return name ? { name, groups: [...[subject.O ?? []].flat(), 'system:authenticated'] } : undefined;
}
