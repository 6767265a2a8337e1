/**
 * Makes prepared-1.37.txt: what the requests of a first start leave in the store.
 * `node packages/apiserver/bootstrap/prepare.ts`, after a change of the facts or of how objects are encoded.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock, formatTime, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, prefixRange } from '@kubernode/store';
import { createPki } from '../pki/pki.ts';
import { startApiServer } from '../server.ts';
import { registryPrefix, resourcePrefix } from '../storage/keys.ts';
import { withSecurity } from '../with-security.ts';
import { placeholders } from './prepared.ts';

/** Those whose objects say nothing of where the server is. Namespaces first: others are in them. */
const collections = [
  ['', 'namespaces'],
  ['rbac.authorization.k8s.io', 'clusterroles'],
  ['rbac.authorization.k8s.io', 'clusterrolebindings'],
  ['rbac.authorization.k8s.io', 'roles'],
  ['rbac.authorization.k8s.io', 'rolebindings'],
  ['scheduling.k8s.io', 'priorityclasses'],
  ['flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations'],
  ['flowcontrol.apiserver.k8s.io', 'flowschemas'],
  ['apiregistration.k8s.io', 'apiservices'],
] as const;

/** A moment that no object mentions for another reason. */
const nowMs = Date.parse('2001-02-03T04:05:06Z');

/** The text of the file: a line an object. */
export async function prepareObjects(): Promise<string> {
  const store = memoryStore();
  const clock = new FakeClock(nowMs);
  const common = { clock, log: silentLogger, random: seededRandom(1) };
  const server = await startApiServer({
    store,
    ...common,
    ...withSecurity({
      ...common,
      withoutPrepared: true,
      serviceAccountSigningKey: createPki({ clock }).serviceAccountKey,
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => ({ address: '192.0.2.1', port: 6443 }),
    }),
  });
  const { entries } = await store.list(prefixRange(registryPrefix));
  await server.stop();
  const lines = collections.flatMap(([group, plural]) =>
    entries
      .filter(({ key }) => key.startsWith(resourcePrefix(group, plural)))
      .map(({ key, value }) => `${key} ${withPlaceholders(Buffer.from(value).toString())}\n`),
  );
  return `# Made by prepare.ts: objects of a fresh cluster as they are stored.\n${lines.join('')}`;
}

function withPlaceholders(text: string): string {
  return text
    .replace(/"uid":"[^"]*"/, `"uid":"${placeholders.uid}"`)
    .replace('"resourceVersion":"0"', `"resourceVersion":"${placeholders.revision}"`)
    .replaceAll(`"${formatTime(nowMs)}"`, `"${placeholders.time}"`);
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, 'prepared-1.37.txt'), await prepareObjects());
}
