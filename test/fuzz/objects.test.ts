/**
 * Random bodies for every kind, against the whole server over HTTP: no crash, no hang, no 500, and a Status with a
 * reason for what is refused. KUBERNODE_FUZZ_RUNS (2) is how many rounds, KUBERNODE_FUZZ_SEED (1) where they begin.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheme } from '@kubernode/api';
import { seededRandom, silentLogger, systemClock, type Random } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '@kubernode/apiserver';
import { randomObject } from '@kubernode/api/testing';

const runs = Number(process.env['KUBERNODE_FUZZ_RUNS'] ?? 2);
const firstSeed = Number(process.env['KUBERNODE_FUZZ_SEED'] ?? 1);
const answerMsMax = 10_000;

const hostile: readonly string[] = [
  'null',
  '-1',
  '1e400',
  '9223372036854775808',
  '""',
  '{"__proto__":{"x":1},"constructor":{"prototype":1}}',
  '[[[[[[[[]]]]]]]]',
  '{"a":1,"a":2}',
  '"\\ud800"',
  `"${'a'.repeat(3000)}"`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

/** Somewhere in the text a value becomes a hostile one, or bytes go. */
function damaged(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  if (random() < 0.3) return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 4));
  const value = hostile[Math.floor(random() * hostile.length)] ?? '';
  const colon = text.indexOf(':', at);
  if (colon < 0) return value;
  return text.slice(0, colon + 1) + value + text.slice(colon + 1).replace(/^("[^"]*"|[\w.-]+|\{\}|\[\])/, '');
}

const bodyTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'text/plain',
];
const patchTypes = ['json-patch', 'merge-patch', 'strategic-merge-patch'].map((type) => `application/${type}+json`);

function randomBytes(random: Random): Uint8Array {
  const bytes = Uint8Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256));
  return random() < 0.5 ? bytes : Buffer.concat([Buffer.from('k8s\0'), bytes]);
}

test('the server answers random objects, damaged objects and random bytes', { timeout: 3_600_000 }, async (t) => {
  const server = await startApiServer({
    store: memoryStore(),
    clock: systemClock,
    log: silentLogger,
    random: seededRandom(firstSeed),
    runtimeConfig: { 'api/all': true },
    listen: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => server.stop());
  const counts = new Map<number, number>();
  const failures: string[] = [];

  const send = async (method: string, path: string, type: string, body: string | Uint8Array, hint: string) => {
    const init = { method, headers: { 'content-type': type }, body: Buffer.from(body) };
    const answer = await fetch(server.url + path, { ...init, signal: AbortSignal.timeout(answerMsMax) });
    const text = await answer.text();
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    if (answer.status < 400) return;
    const status = JSON.parse(text) as { kind?: string; reason?: string; message?: string };
    const isRight = answer.status < 500 && status.kind === 'Status' && status.reason;
    if (!isRight) failures.push(`${hint} ${method} ${path} ${type}: ${answer.status} ${text.slice(0, 300)}`);
  };

  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const random = seededRandom(seed);
    for (const { kind, group, version, plural, namespaced, shape } of scheme.resources) {
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const path = `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`;
      const object = randomObject(shape, random) as { metadata?: object };
      const written = { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
      const text = JSON.stringify({ ...written, metadata: { ...object.metadata, name: 'a', namespace: undefined } });
      const hint = `seed ${seed}`;
      await send('POST', path, 'application/json', text, hint);
      await send('POST', path, 'application/json', damaged(text, random), hint);
      await send('PUT', `${path}/a`, 'application/json', damaged(text, random), hint);
      const type = bodyTypes[Math.floor(random() * bodyTypes.length)] ?? '';
      await send('POST', path, type, randomBytes(random), hint);
      const patchType = patchTypes[Math.floor(random() * patchTypes.length)] ?? '';
      await send('PATCH', `${path}/a`, patchType, damaged(text, random), hint);
      await send('PATCH', `${path}/a`, patchType, randomBytes(random), hint);
    }
  }
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(counts))}`);
  assert.deepEqual(failures, []);
});
