import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@kubernode/machinery';
import type { RuntimeOptions } from '../options.ts';
import { openRuntime, type Runtime } from '../runtime.ts';
import { writeBusyboxImage } from './busybox-image.ts';

export interface TestRuntime {
  readonly runtime: Runtime;
  readonly options: RuntimeOptions;
  readonly folder: string;
  /** Removes all that was made. */
  end(runtime?: Runtime): Promise<void>;
}

const testImage = 'kubernode.local/test:1';

/** A real runtime in a temporary folder, with the busybox image, and pods whose network is loopback alone. */
export async function openTestRuntime(): Promise<TestRuntime> {
  const folder = await mkdtemp(join(tmpdir(), 'kn-runtime-'));
  const options: RuntimeOptions = {
    root: join(folder, 'root'),
    podNetwork: { attach: async () => ({ ips: ['10.0.0.1'] }), detach: async () => {} },
    log: silentLogger,
    clock: systemClock,
    cgroupRoot: `/kubernode-test-${process.pid}`,
  };
  const runtime = await openRuntime(options);
  await writeBusyboxImage(join(folder, 'layout'), { name: testImage, files: { '/www/index.html': 'hello\n' } });
  await runtime.images.load(join(folder, 'layout'));
  return {
    runtime,
    options,
    folder,
    end: async (current = runtime) => {
      await current.reset();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A sandbox with one container of the test image, created but not started. */
export async function createTestContainer(
  runtime: Runtime,
  config: Parameters<Runtime['createContainer']>[0]['config'] & { readonly command: readonly string[] },
  sandbox: Parameters<Runtime['runPodSandbox']>[0]['config'] = {},
): Promise<{ podSandboxId: string; containerId: string }> {
  const metadata = { name: 'pod', namespace: 'default', uid: 'uid', attempt: 0 };
  const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, hostname: 'pod', ...sandbox } });
  const { containerId } = await runtime.createContainer({
    podSandboxId,
    config: { metadata: { name: 'main' }, image: { image: testImage }, ...config },
  });
  return { podSandboxId, containerId };
}

/** Waits for the container's end by the runtime's events. */
export async function waitForEnd(runtime: Runtime, containerId: string): Promise<void> {
  const stop = new AbortController();
  const events = runtime.getContainerEvents({}, { signal: stop.signal });
  const { status } = await runtime.containerStatus({ containerId });
  if (status?.state !== 'CONTAINER_EXITED') {
    for await (const event of events) {
      if (event.containerId === containerId && event.containerEventType === 'CONTAINER_STOPPED_EVENT') break;
    }
  }
  stop.abort();
}
