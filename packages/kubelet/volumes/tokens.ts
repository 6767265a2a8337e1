import type { TokenRequest } from '@kubernode/api/authentication/v1';
import { ServiceAccount, type Pod, type ServiceAccountTokenProjection } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { jitter, type Clock } from '@kubernode/machinery';

interface Token {
  readonly value: string;
  readonly renewAtMs: number;
}

/** Bound tokens of service accounts for pods, asked for by TokenRequest and renewed at 80 % of their life (KEP 1205). */
export class ServiceAccountTokens {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #tokens = new Map<string, Map<string, Token>>();

  constructor({ client, clock, random }: { client: Client; clock: Clock; random: () => number }) {
    this.#client = client;
    this.#clock = clock;
    this.#random = random;
  }

  async token(pod: Pod, projection: ServiceAccountTokenProjection): Promise<string> {
    const { uid, namespace = '', name } = pod.metadata;
    const { audience = '' } = projection;
    const expirationSeconds = projection.expirationSeconds ?? 3600;
    const key = `${audience}|${expirationSeconds}`;
    const tokens = this.#tokens.get(uid) ?? new Map<string, Token>();
    this.#tokens.set(uid, tokens);
    const cached = tokens.get(key);
    if (cached && this.#clock.now() < cached.renewAtMs) return cached.value;
    const account = pod.spec.serviceAccountName || 'default';
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience ? [audience] : [],
        expirationSeconds,
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
      },
    };
    const target = { name: account, namespace };
    const answer = await this.#client.subresource<TokenRequest>('POST', ServiceAccount, target, 'token', body);
    const value = answer.status?.token ?? '';
    const lifeMs = Date.parse(answer.status?.expirationTimestamp ?? '') - this.#clock.now();
    const renewInMs = Math.min(jitter(lifeMs * 0.7, 0.14, this.#random), dayMs);
    tokens.set(key, { value, renewAtMs: this.#clock.now() + renewInMs });
    return value;
  }

  /** When the first of a pod's tokens is to be renewed. */
  renewAtMs(podUid: string): number | undefined {
    const times = [...(this.#tokens.get(podUid)?.values() ?? [])].map(({ renewAtMs }) => renewAtMs);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  forget(podUid: string): void {
    this.#tokens.delete(podUid);
  }
}

const dayMs = 24 * 60 * 60 * 1000;
