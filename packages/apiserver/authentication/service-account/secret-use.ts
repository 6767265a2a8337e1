import type { Transport } from '@kubernode/api';
import type { Secret } from '@kubernode/api/core/v1';
import { BoundedMap, type Clock, type Logger } from '@kubernode/machinery';
import type { ServiceAccountMetrics } from './metrics.ts';

export interface SecretUseOptions {
  readonly clock: Clock;
  /** The server's own: Secrets are labelled with the day of their last use. */
  readonly transport: () => Transport;
  readonly log?: Logger | undefined;
  readonly metrics?: ServiceAccountMetrics | undefined;
}

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const dayMs = 24 * 3600 * 1000;
const rememberedMax = 10_000;

/** The use of tokens that lie in Secrets (KEP-2799): each day of use is written onto the Secret, once. */
export class SecretUse {
  readonly #options: SecretUseOptions;
  readonly #noted = new BoundedMap<string, string>(rememberedMax);

  constructor(options: SecretUseOptions) {
    this.#options = options;
  }

  /** Throws where the Secret was marked invalid, after its use was noted. */
  note({ metadata }: Secret, account: string): void {
    this.#noteDay(metadata);
    if (!metadata.labels?.[invalidSinceLabel]) return;
    this.#options.metrics?.legacy('invalid');
    const { namespace, name } = metadata;
    throw new Error(
      `the token in secret ${namespace}/${name} for service account ${namespace}/${account} has been marked invalid. ` +
        'Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the ' +
        `'${invalidSinceLabel}' label from the secret to temporarily allow use of this token`,
    );
  }

  #noteDay({ namespace, name, uid, labels }: Secret['metadata']): void {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const nowMs = this.#options.clock.now();
    const today = day(nowMs);
    const last = labels?.[lastUsedLabel];
    if (last === today || last === day(nowMs + dayMs) || this.#noted.get(uid) === today) return;
    this.#noted.set(uid, today);
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const body = { metadata: { uid, labels: { [lastUsedLabel]: today } } };
    const request = { method: 'PATCH' as const, path, body, contentType: 'application/merge-patch+json' };
    this.#options
      .transport()
      .request(request)
      .catch((error: unknown) => {
        this.#noted.delete(uid);
        this.#options.log?.warn('the last use of a token could not be noted', { path, error: String(error) });
      });
  }
}
