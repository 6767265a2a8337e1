import type { ServerResponse } from './request.ts';

/** One thing that must be in order. */
export interface HealthCheck {
  readonly name: string;
  readonly isHealthy: () => boolean;
  /** Only /readyz asks: the server lives, but is not to be sent requests. */
  readonly onlyReady?: boolean;
}

const plainText = 'text/plain; charset=utf-8';

/** The named checks behind /healthz, /livez and /readyz. */
export class Health {
  readonly #checks: HealthCheck[] = [{ name: 'ping', isHealthy: () => true }];

  add(check: HealthCheck): void {
    this.#checks.push(check);
  }

  /** `isFollowing`: the store is there, and its changes arrive. */
  constructor(isFollowing: () => boolean) {
    this.add({ name: 'log', isHealthy: () => true });
    this.add({ name: 'etcd', isHealthy: isFollowing });
    this.add({ name: 'etcd-readiness', isHealthy: isFollowing, onlyReady: true });
    this.add({ name: 'informer-sync', isHealthy: isFollowing, onlyReady: true });
  }

  /** Answers `/readyz`, `/readyz/ping`; undefined for other paths. */
  answer(path: string, query: URLSearchParams): ServerResponse | undefined {
    const [, root = '', ...rest] = path.split('/');
    if (root !== 'healthz' && root !== 'livez' && root !== 'readyz') return undefined;
    const checks = this.#checks.filter(({ onlyReady }) => root === 'readyz' || !onlyReady);
    const name = rest.join('/');
    if (name !== '') {
      const check = checks.find((candidate) => candidate.name === name);
      if (!check) return undefined;
      if (!check.isHealthy()) return text(500, 'internal server error: not healthy');
      return { code: 200, content: { type: 'bytes', contentType: plainText, bytes: 'ok' } };
    }
    if (path !== `/${root}`) return undefined;
    return summary(root, checks, query);
  }
}

function summary(root: string, checks: readonly HealthCheck[], query: URLSearchParams): ServerResponse {
  const excluded = new Set(query.getAll('exclude'));
  const failed: string[] = [];
  const lines: string[] = [];
  for (const { name, isHealthy } of checks) {
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
    else if (isHealthy()) lines.push(`[+]${name} ok`);
    else {
      failed.push(name);
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed.length > 0) return text(500, `${lines.join('\n')}\n${root} check failed\n`);
  return query.has('verbose') ? text(200, `${lines.join('\n')}\n${root} check passed\n`) : text(200, 'ok');
}

function text(code: number, bytes: string): ServerResponse {
  const headers = { 'x-content-type-options': 'nosniff' };
  return { code, headers, content: { type: 'bytes', contentType: plainText, bytes } };
}
