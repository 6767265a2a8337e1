import { createPublicKey } from 'node:crypto';
import type { Clock, Logger } from '@kubernode/machinery';
import { bytesOf, decodeFields, encodeFields, numberOf, textOf } from '../../outbound/grpc/messages.ts';
import { UnaryClient } from '../../outbound/grpc/unary-client.ts';
import { registeredClaims, type TokenClaims } from './claims.ts';
import { algorithmOf, type VerificationKey } from './jwt.ts';
import type { TokenKeys } from './keys.ts';
import type { TokenSigner } from './signer.ts';

export interface ExternalSignerOptions {
  /** `--service-account-signing-endpoint`: a unix socket. */
  readonly endpoint: string;
  readonly issuer: string;
  readonly clock: Clock;
  readonly hasId: boolean;
  readonly signal: AbortSignal;
  readonly log?: Logger | undefined;
}

export interface ExternalSigner {
  readonly signer: TokenSigner;
  readonly keys: TokenKeys;
}

interface FetchedKeys {
  readonly all: readonly (VerificationKey & { readonly isHidden: boolean })[];
  readonly refreshMs: number;
}

const timeoutMs = 60_000;
const retryMs = 10_000;
const keyIdLengthMax = 1024;
const leastMaxLifetimeSeconds = 600;
const signingAlgorithms: ReadonlySet<unknown> = new Set(['RS256', 'ES256', 'ES384', 'ES512']);

/**
 * Tokens are signed, and their keys told, by a program outside (KEP-740, externaljwt v1). Its keys are fetched from the
 * start, again when it says so, and when a token names one that is not known. Until then no token is good.
 */
export function externalSigner(options: ExternalSignerOptions): ExternalSigner {
  const remote = new Remote(options);
  return {
    signer: {
      sign: (claims) => remote.sign(claims),
      get maxLifetimeSeconds() {
        return remote.maxLifetimeSeconds;
      },
    },
    keys: {
      keysFor(keyId) {
        const known = remote.known(keyId);
        return known.length > 0
          ? known
          : remote.fetch().then(
              () => remote.known(keyId),
              () => [],
            );
      },
      published: () => remote.known('').filter(({ isHidden }) => !isHidden),
      maxAgeSeconds: () => remote.maxAgeSeconds,
    },
  };
}

class Remote {
  readonly #options: ExternalSignerOptions;
  readonly #client: UnaryClient;
  #keys: FetchedKeys = { all: [], refreshMs: 0 };
  #fetching: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  maxLifetimeSeconds: number | undefined;

  constructor(options: ExternalSignerOptions) {
    const { endpoint } = options;
    this.#options = options;
    this.#client = new UnaryClient({ endpoint, service: 'v1.ExternalJWTSigner', timeoutMs });
    options.signal.addEventListener('abort', () => {
      this.#cancel?.();
      this.#client.close();
    });
    void this.#follow();
  }

  known(keyId: string): FetchedKeys['all'] {
    return keyId === '' ? this.#keys.all : this.#keys.all.filter((key) => key.keyId === keyId);
  }

  get maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#keys.refreshMs - this.#options.clock.now()) / 1000));
  }

  /** One call serves all that wait for it. */
  fetch(): Promise<void> {
    this.#fetching ??= this.#fetchKeys().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async sign(claims: TokenClaims): Promise<string> {
    const { issuer, clock, hasId } = this.#options;
    const json = JSON.stringify(registeredClaims(claims, { issuer, nowMs: clock.now(), hasId }));
    const payload = Buffer.from(json).toString('base64url');
    const answer = decodeFields(
      await this.#client.call('Sign', encodeFields([[1, payload]])).catch((error: Error) => {
        throw new Error(`while signing jwt: ${error.message}`, { cause: error });
      }),
    );
    const [header, signature] = [textOf(answer, 1), textOf(answer, 2)];
    const problem = headerProblem(header, (keyId) => this.known(keyId).some(({ isHidden }) => isHidden));
    if (problem) throw new Error(`while validating header: ${problem}`);
    if (signature === '') throw new Error('empty signature returned');
    return `${header}.${payload}.${signature}`;
  }

  async #follow(): Promise<void> {
    const { clock, signal, log, endpoint } = this.#options;
    let waitMs = retryMs;
    try {
      this.maxLifetimeSeconds ??= await this.#metadata();
      await this.fetch();
      waitMs = Math.max(1000, this.#keys.refreshMs - clock.now());
    } catch (error) {
      if (!signal.aborted) log?.error('the signer of tokens cannot be used', { endpoint, error: String(error) });
    }
    if (!signal.aborted) this.#cancel = clock.after(waitMs, () => void this.#follow());
  }

  async #metadata(): Promise<number> {
    const seconds = numberOf(decodeFields(await this.#client.call('Metadata', Buffer.alloc(0))), 1);
    if (seconds >= leastMaxLifetimeSeconds) return seconds;
    throw new Error(`max token life supported by external-jwt-signer (${seconds}s) is less than acceptable (min 10m)`);
  }

  async #fetchKeys(): Promise<void> {
    const answer = decodeFields(await this.#client.call('FetchKeys', Buffer.alloc(0)));
    const refreshSeconds = numberOf(answer, 3);
    if (refreshSeconds <= 0) throw new Error(`found invalid refresh hint (${refreshSeconds}s)`);
    const all = answer.flatMap(({ number, value }) => {
      if (number !== 1 || typeof value === 'number') return [];
      const fields = decodeFields(value);
      const keyId = textOf(fields, 1);
      if (keyId === '' || keyId.length > keyIdLengthMax) throw new Error(`found invalid public key id "${keyId}"`);
      const key = createPublicKey({ key: bytesOf(fields, 2), format: 'der', type: 'spki' });
      return [{ keyId, key, algorithm: algorithmOf(key), isHidden: numberOf(fields, 3) === 1 }];
    });
    if (all.length === 0) throw new Error('found no keys');
    this.#keys = { all, refreshMs: this.#options.clock.now() + refreshSeconds * 1000 };
  }
}

/** What is wrong with the header of a token; undefined where it is good. */
function headerProblem(header: string, isHidden: (keyId: string) => boolean): string | undefined {
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch (error) {
    return `while parsing header JSON: ${(error as Error).message}`;
  }
  const { alg, kid, typ, ...unknown } = found;
  const [name] = Object.keys(unknown);
  if (name !== undefined) return `while parsing header JSON: json: unknown field "${name}"`;
  if (typ !== 'JWT') return 'bad type';
  if (typeof kid !== 'string' || kid === '') return 'key id missing';
  if (kid.length > keyIdLengthMax) return 'key id longer than 1 kb';
  if (!signingAlgorithms.has(alg)) return `bad signing algorithm ${JSON.stringify(alg)}`;
  return isHidden(kid) ? `key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs` : undefined;
}
