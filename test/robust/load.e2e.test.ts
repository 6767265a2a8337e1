/** Crowds: watchers that all come back at once, and a tenant that wants everything. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { after, before, test } from 'node:test';
import { until } from '../e2e/process.ts';
import { startVictim, type Victim } from './server.ts';
import type { VictimOptions } from './victim-options.ts';

let server: Victim;
let impatient: Victim;
before(async () => {
  [server, impatient] = await Promise.all([
    start({ lingerMs: 500 }),
    start({ lingerMs: 500, requestTimeoutMs: 8_000 }),
  ]);
});
after(async () => {
  assert.equal(await server.stop(), 0);
  assert.equal(await impatient.stop(), 0);
});

async function start(requestLimits: VictimOptions['requestLimits']): Promise<Victim> {
  const started = await startVictim({ requestLimits });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: [''], resources: ['configmaps', 'namespaces'], verbs: ['get', 'list', 'watch'] }];
  await started.create(`${rbac}/clusterroles`, { metadata: { name: 'tenants' }, rules });
  await started.create(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'tenants' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tenants' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'tenants' }],
  });
  for (const metadata of [{ name: 'storm' }, { name: 'flood' }])
    await started.create('/api/v1/namespaces', { metadata });
  return started;
}

const streamsPerSession = 100;

function session(of: Victim, settings = {}): ClientHttp2Session {
  const opened = connect(of.url, { rejectUnauthorized: false, settings });
  // Cuts are what these tests are about.
  return opened.on('error', () => {});
}

function get(on: ClientHttp2Session, path: string, user: string): ClientHttp2Stream {
  return on.request({ ':path': path, authorization: `Bearer ${user}` }).on('error', () => {});
}

/** One that goes on where it was. */
class Follower {
  readonly seen: string[] = [];
  #version: string;
  #rest = '';

  constructor(version: string) {
    this.#version = version;
  }

  watch(on: ClientHttp2Session, path: string): void {
    this.#rest = '';
    const stream = get(on, `${path}?watch=true&resourceVersion=${this.#version}`, 'alice');
    stream.on('response', ({ ':status': code, 'retry-after': seconds }) => {
      if (code === 200) return;
      assert.equal(code, 429);
      stream.removeAllListeners('data').resume();
      setTimeout(() => on.destroyed || this.watch(on, path), Number(seconds) * 1_000);
    });
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop()!;
      for (const line of lines) this.#take(line);
    });
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line) as {
      readonly type: string;
      readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
    };
    this.seen.push(`${type} ${object.metadata.name}`);
    this.#version = object.metadata.resourceVersion;
  }
}

test('2,000 watches that are cut at once come back, and miss nothing', async () => {
  const path = '/api/v1/namespaces/storm/configmaps';
  const { text } = await server.send('GET', path);
  const { metadata } = JSON.parse(text) as { readonly metadata: { readonly resourceVersion: string } };
  const followers = Array.from({ length: 2_000 }, () => new Follower(metadata.resourceVersion));
  const sessions = new Set<ClientHttp2Session>();
  const watchAll = () => {
    for (let from = 0; from < followers.length; from += streamsPerSession) {
      const on = session(server);
      sessions.add(on);
      for (const follower of followers.slice(from, from + streamsPerSession)) follower.watch(on, path);
    }
  };
  const cutAll = () => {
    for (const one of sessions) one.destroy();
    sessions.clear();
  };
  const expected: string[] = [];
  const create = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const name = `c-${expected.length}`;
      await server.create(path, { metadata: { name } });
      expected.push(`ADDED ${name}`);
    }
  };
  const storm = async () => {
    watchAll();
    await create(4);
    for (let round = 0; round < 2; round += 1) {
      // Some were told of the last ones, others were not.
      await until('some that saw all', () => followers.some(({ seen }) => seen.length === expected.length));
      cutAll();
      await create(4);
      watchAll();
      await create(4);
    }
    await until('all that saw all', () => followers.every(({ seen }) => seen.length >= expected.length), 60_000);
    cutAll();
  };
  await server.survives(storm, 512 << 20);
  for (const { seen } of followers) assert.deepEqual(seen, expected);
});

const floodPath = '/api/v1/namespaces/flood/configmaps';

test('a tenant that wants everything at once does not keep others from what they want', async () => {
  await server.create(floodPath, { metadata: { name: 'big' }, data: { value: 'v'.repeat(300_000) } });
  const flood = async () => {
    const sessions = Array.from({ length: 6 }, () => session(server));
    await Promise.all(sessions.map((on) => once(on, 'remoteSettings')));
    const ask = (on: ClientHttp2Session) => once(get(on, floodPath, 'alice').resume(), 'close');
    const asked = sessions.flatMap((on) => Array.from({ length: streamsPerSession }, () => ask(on)));
    for (let index = 0; index < 20; index += 1) {
      assert.equal((await server.send('GET', '/api/v1/namespaces/flood', undefined, 'bob')).code, 200);
    }
    await Promise.all(asked);
    for (const on of sessions) on.destroy();
  };
  await server.survives(flood, 512 << 20);
});

test('answers that are not taken hold their seats, but not for long: whoever comes back is served', async () => {
  await impatient.create(floodPath, { metadata: { name: 'big' }, data: { value: 'v'.repeat(300_000) } });
  const codes: number[] = [];
  const isRefused = (code: number | undefined, seconds: unknown) => {
    if (code === 429) assert.match(String(seconds), /^\d+$/);
    return code === 429;
  };
  const hold = async () => {
    const sessions = Array.from({ length: 6 }, () => session(impatient, { initialWindowSize: 0 }));
    await Promise.all(sessions.map((on) => once(on, 'remoteSettings')));
    for (const on of sessions) {
      for (let index = 0; index < streamsPerSession; index += 1) {
        get(on, floodPath, 'alice').on('response', ({ ':status': code, 'retry-after': seconds }) => {
          codes.push(code!);
          isRefused(code, seconds);
        });
      }
    }
    await until('refusals', () => codes.includes(429));
    await until('bob is served', async () => {
      const { code, headers } = await impatient.send('GET', '/api/v1/namespaces/flood', undefined, 'bob');
      return !isRefused(code, headers['retry-after']) && code === 200;
    });
    for (const on of sessions) on.destroy();
  };
  await impatient.survives(hold, 512 << 20);
  assert.deepEqual(
    [...new Set(codes)].sort((a, b) => a - b),
    [200, 429],
  );
  assert.notEqual(await impatient.metric('apiserver_flowcontrol_rejected_requests_total'), 0);
});

test('a tenant of few seats is refused what is too much at once, though each is quickly answered', async () => {
  const flowcontrol = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const queuing = { queues: 4, handSize: 1, queueLengthLimit: 40 };
  const limited = { nominalConcurrencyShares: 5, borrowingLimitPercent: 0, limitResponse: { type: 'Queue', queuing } };
  await server.create(`${flowcontrol}/prioritylevelconfigurations`, {
    metadata: { name: 'few' },
    spec: { type: 'Limited', limited },
  });
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }];
  await server.create(`${flowcontrol}/flowschemas`, {
    metadata: { name: 'few' },
    spec: {
      priorityLevelConfiguration: { name: 'few' },
      matchingPrecedence: 100,
      rules: [{ subjects: [{ kind: 'User', user: { name: 'alice' } }], resourceRules }],
    },
  });
  const counts = new Map<number, number>();
  const flood = async () => {
    const on = session(server);
    await once(on, 'remoteSettings');
    // All in one packet, or two.
    const asked = Array.from({ length: streamsPerSession }, async () => {
      const stream = get(on, `${floodPath}/none`, 'alice').resume();
      const [{ ':status': code }] = (await once(stream, 'response')) as [{ readonly ':status': number }];
      counts.set(code, (counts.get(code) ?? 0) + 1);
    });
    await Promise.all(asked);
    for (let index = 0; index < 20; index += 1) {
      assert.equal((await server.send('GET', '/api/v1/namespaces/flood', undefined, 'bob')).code, 200);
    }
    on.destroy();
  };
  await server.survives(flood);
  assert.deepEqual(new Set(counts.keys()), new Set([404, 429]));
  // Its seats and the places in its queue were of use.
  assert.ok(counts.get(404)! > 40, JSON.stringify([...counts]));
});
