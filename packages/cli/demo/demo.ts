import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { isReason } from '@kubernode/api';
import { Deployment } from '@kubernode/api/apps/v1';
import { Node, Pod } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { callControl } from '../cluster/control-socket.ts';
import type { DataDir } from '../cluster/data-dir.ts';
import { adminClient } from '../cluster/admin-client.ts';
import type { Progress } from '../terminal/progress.ts';
import { UserError } from '../terminal/user-error.ts';
import { applyManifest, type Manifest } from './apply.ts';

const demoImage = 'kubernode.local/demo:1';
/** Found by the package: what runs may be a bundle that is elsewhere. */
const manifestFile = new URL('../../examples/hello.yaml', import.meta.resolve('@kubernode/cli'));
const page = 'http://hello.default.svc.cluster.local/';
const nodePort = 30_080;
const waitMsMax = 60_000;
const namespace = 'default';

/** Three web servers behind a Service, asked from a pod by name and from this machine by NodePort. */
export async function showDemo(dataDir: DataDir, progress: Progress): Promise<void> {
  const { client, close } = adminClient(dataDir);
  try {
    await progress.step(`Making the image ${demoImage}`, () => callControl(dataDir, 'image-demo', { name: demoImage }));
    await progress.step('Applying examples/hello.yaml', async () => {
      for (const manifest of loadAll(readFileSync(manifestFile, 'utf8')) as Manifest[])
        await applyManifest(client, manifest, namespace);
    });
    await progress.step('Waiting for 3 pods', () => waitFor('the Deployment hello', () => isAvailable(client)));
    const inside = await progress.step(`Fetching ${page} from a pod`, () => fetchFromPod(client));
    progress.say(`  ${inside}`);
    const address = await nodeAddress(client);
    const outside = await progress.step(`Fetching http://${address}:${nodePort}/ from this machine`, () =>
      fetchPage(address),
    );
    progress.say(`  ${outside}`);
  } finally {
    await close();
  }
}

async function isAvailable(client: Client): Promise<boolean> {
  const { spec, status } = await client.get(Deployment, 'hello', namespace);
  return status.availableReplicas === spec.replicas && status.updatedReplicas === spec.replicas;
}

async function fetchFromPod(client: Client): Promise<string> {
  const name = 'hello-check';
  const remove = () =>
    client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  await remove();
  const container = { name: 'check', image: demoImage, command: ['wget', '-q', '-O', '-', page] };
  const spec = { containers: [container], restartPolicy: 'Never' as const };
  await client.create(Pod, { metadata: { name, namespace }, spec });
  try {
    await waitFor('the pod hello-check', async () => {
      const { phase } = (await client.get(Pod, name, namespace)).status;
      if (phase === 'Failed') throw new UserError(`The pod could not fetch ${page}: ${await logOf(client, name)}`);
      return phase === 'Succeeded';
    });
    return await logOf(client, name);
  } finally {
    await remove();
  }
}

async function logOf(client: Client, name: string): Promise<string> {
  const { body } = await client.stream({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${name}/log` });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8').trim();
}

async function nodeAddress(client: Client): Promise<string> {
  const { items } = await client.list(Node);
  return items[0]?.status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '127.0.0.1';
}

async function fetchPage(address: string): Promise<string> {
  const response = await fetch(`http://${address}:${nodePort}/`, { signal: AbortSignal.timeout(5000) });
  return (await response.text()).trim();
}

async function waitFor(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + waitMsMax;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) {
      throw new UserError(
        `${what} was not ready after ${waitMsMax / 1000} s.`,
        "Look with: kubectl describe pods, and './kubernode logs'",
      );
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}
