/**
 * A cluster of its own for an end-to-end test file: in a network namespace that has no way out, with a temporary data
 * folder. Needs root. Stopping it checks that nothing is left on the machine.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBusyboxImage, type BusyboxImageOptions } from '@kubernode/runtime';
import { leftovers } from './leftovers.ts';
import { runProcess, startProcess, type Outcome, type RunOptions, type RunningProcess } from './process.ts';

/** Arguments as a list, or as one string that is split at spaces. */
export type Arguments = string | readonly string[];

export interface TestMachine {
  readonly dataDir: string;
  /** Name of the network namespace in which everything runs. */
  readonly netns: string;
  readonly env: NodeJS.ProcessEnv;
  /** A folder for the test's own files; removed at the end. */
  readonly folder: string;
  /** Runs a program in the network namespace; an exit code other than 0 is an answer, not an error. */
  exec(command: string, args: Arguments, options?: RunOptions): Promise<Outcome>;
  /** Starts a program in the network namespace and leaves it running; ended at the end of the test if it still runs. */
  start(command: string, args: Arguments, options?: RunOptions): RunningProcess;
  kubernode(args: Arguments, options?: RunOptions): Promise<Outcome>;
  kubectl(args: Arguments, options?: RunOptions): Promise<Outcome>;
  /** Standard output of kubectl; throws where it exits with another code than 0. */
  kubectlOutput(args: Arguments, options?: RunOptions): Promise<string>;
  apply(manifest: string | object | readonly object[]): Promise<void>;
  /** Loads an image made of this machine's busybox into the running cluster. */
  loadImage(options: BusyboxImageOptions): Promise<void>;
  /** Resets the cluster, and fails if any process, mount, network namespace, cgroup, nft table or link is left. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');
/** With the demo's commands in it. */
export const testImage = 'kubernode.local/demo:1';
let count = 0;

/** A network namespace with loopback alone, and names for a data folder; no cluster runs yet. */
export function createTestMachine(): TestMachine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kn-e2e-')));
  const dataDir = join(folder, 'data');
  const netns = `kn-e2e-${process.pid}-${(count += 1)}`;
  runSync('ip', 'netns', 'add', netns);
  runSync('ip', '-n', netns, 'link', 'set', 'lo', 'up');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    KUBERNODE_DATA_DIR: dataDir,
    KUBECONFIG: join(dataDir, 'kubeconfig'),
    // kubectl keeps what it knows of a server at home.
    HOME: folder,
    // Node's test runner hands its own reporter down to Node processes that inherit this.
    NODE_TEST_CONTEXT: undefined,
  };
  const started: RunningProcess[] = [];
  const inside = (command: string, args: Arguments) => [`--net=/run/netns/${netns}`, command, ...listOf(args)];
  const exec: TestMachine['exec'] = (command, args, options) =>
    runProcess('nsenter', inside(command, args), { ...options, env: { ...env, ...options?.env } });
  const kubernode: TestMachine['kubernode'] = (args, options) => exec(join(root, 'kubernode'), args, options);
  const kubectl: TestMachine['kubectl'] = (args, options) => exec('kubectl', args, options);
  const kubectlOutput: TestMachine['kubectlOutput'] = async (args, options) => {
    const { code, stdout, stderr } = await kubectl(args, options);
    assert.equal(code, 0, `kubectl ${listOf(args).join(' ')} answered ${code}: ${stderr}${stdout}`);
    return stdout;
  };
  const abandon = () => {
    spawnSync('nsenter', inside(join(root, 'kubernode'), ['reset']), { env });
    spawnSync('ip', ['netns', 'del', netns]);
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  process.once('SIGTERM', abandon).once('SIGINT', abandon);
  return {
    dataDir,
    netns,
    env,
    folder,
    exec,
    start(command, args, options) {
      const running = startProcess('nsenter', inside(command, args), { ...options, env: { ...env, ...options?.env } });
      started.push(running);
      return running;
    },
    kubernode,
    kubectl,
    kubectlOutput,
    async apply(manifest) {
      const items = typeof manifest === 'string' ? manifest : JSON.stringify(asList(manifest));
      await kubectlOutput(['apply', '-f', '-'], { stdin: items });
    },
    async loadImage(options) {
      const layout = mkdtempSync(join(folder, 'image-'));
      await writeBusyboxImage(layout, options);
      const { code, stderr } = await kubernode(['image', 'load', layout]);
      assert.equal(code, 0, stderr);
    },
    async stop() {
      for (const running of started) await running.end();
      const reset = await kubernode(['reset']);
      const left = reset.code === 0 ? leftovers(dataDir, netns) : [];
      spawnSync('ip', ['netns', 'del', netns]);
      rmSync(folder, { recursive: true, force: true });
      process.removeListener('SIGTERM', abandon).removeListener('SIGINT', abandon);
      assert.equal(reset.code, 0, reset.stderr);
      assert.deepEqual(left, [], 'left behind by kubernode reset');
    },
  };
}

/** The same with a running cluster and the image `testImage`. */
export async function startTestCluster(flags: Arguments = []): Promise<TestMachine> {
  const machine = createTestMachine();
  try {
    const { code, stderr } = await machine.kubernode(['up', ...listOf(flags)], { timeoutMs: 120_000 });
    assert.equal(code, 0, `kubernode up: ${stderr}`);
    await machine.loadImage({ name: testImage });
    return machine;
  } catch (error) {
    await machine.stop().catch(() => {});
    throw error;
  }
}

function asList(manifest: object | readonly object[]): object {
  return Array.isArray(manifest) ? { apiVersion: 'v1', kind: 'List', items: manifest } : manifest;
}

function listOf(args: Arguments): readonly string[] {
  return typeof args === 'string' ? args.split(/\s+/).filter((argument) => argument !== '') : args;
}

function runSync(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
