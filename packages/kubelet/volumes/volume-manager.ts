import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import type { Quantity } from '@kubernode/api';
import { PersistentVolume, PersistentVolumeClaim, type Pod, type Volume } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { quantityValue, type Clock, type Logger } from '@kubernode/machinery';
import { writeAtomically } from './atomic-writer.ts';
import { prepareHostPath } from './host-path.ts';
import type { Mounter } from './mounter.ts';
import { setVolumeOwnership } from './ownership.ts';
import { VolumeError, type Payload } from './payload.ts';
import { podDirs, secretsRoot } from './volume-dirs.ts';
import { volumePayload, type PayloadSources } from './volume-payload.ts';
import { claimNameOf, planVolume, usedVolumes } from './volume-plan.ts';

export interface MountedVolume {
  /** On the host. */
  readonly path: string;
  readonly readOnly: boolean;
}

export interface VolumeManagerOptions {
  readonly client: Client;
  readonly rootDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mounter: Mounter;
}

/** Makes the volumes of pods on this node, keeps those made of API data current, and takes them away. */
export class VolumeManager {
  readonly #options: VolumeManagerOptions;
  /** What is there already: pod uid → volume → what was written last. */
  readonly #done = new Map<string, Map<string, { mounted: MountedVolume; digest: string }>>();
  #writes = 0;

  constructor(options: VolumeManagerOptions) {
    this.#options = options;
  }

  /** Mounts the memory that holds secrets. Without the right to mount they go to disk, with a warning. */
  async start(): Promise<void> {
    const { rootDir, mounter, log } = this.#options;
    const dir = secretsRoot(rootDir);
    await mkdir(dir, { recursive: true, mode: 0o711 });
    if ((await mounter.mountsBelow(dir)).includes(dir)) return;
    try {
      await mounter.tmpfs(dir, ['mode=0711', 'nosuid', 'nodev', 'noexec']);
    } catch (error) {
      log.warn('no memory file system for secrets: they are kept on disk', { dir, error: String(error) });
    }
  }

  /** All volumes of the pod that its containers use, current. Idempotent. Throws VolumeError for what is missing. */
  async setUp(pod: Pod, sources: PayloadSources): Promise<ReadonlyMap<string, MountedVolume>> {
    const uid = pod.metadata.uid;
    const done = this.#done.get(uid) ?? new Map<string, { mounted: MountedVolume; digest: string }>();
    this.#done.set(uid, done);
    const mounted = new Map<string, MountedVolume>();
    for (const volume of usedVolumes(pod)) {
      try {
        mounted.set(volume.name, await this.#setUpOne(pod, volume, done, sources));
      } catch (error) {
        if (sources.signal.aborted) throw error;
        const why = error instanceof Error ? error.message : String(error);
        throw new VolumeError(`MountVolume.SetUp failed for volume "${volume.name}" : ${why}`, { cause: error });
      }
    }
    return mounted;
  }

  /** Unmounts and removes all that `setUp` made; what hostPath and claims point to stays. */
  async tearDown(podUid: string): Promise<void> {
    const { rootDir, mounter } = this.#options;
    const dirs = podDirs(rootDir, podUid);
    for (const dir of [dirs.pod, dirs.secrets]) {
      for (const mount of await mounter.mountsBelow(dir)) await mounter.unmount(mount);
      await rm(dir, { recursive: true, force: true });
    }
    this.#done.delete(podUid);
  }

  async #setUpOne(
    pod: Pod,
    volume: Volume,
    done: Map<string, { mounted: MountedVolume; digest: string }>,
    sources: PayloadSources,
  ): Promise<MountedVolume> {
    const plan = planVolume(volume, podDirs(this.#options.rootDir, pod.metadata.uid));
    const before = done.get(volume.name);
    if (plan.type === 'payload') {
      const payload = await volumePayload(pod, volume, sources);
      const digest = digestOf(payload);
      if (before?.digest !== digest) await this.#write(pod, plan.path, payload);
      const mounted = { path: plan.path, readOnly: true };
      done.set(volume.name, { mounted, digest });
      return mounted;
    }
    if (before) return before.mounted;
    const mounted = await this.#make(pod, volume, plan);
    done.set(volume.name, { mounted, digest: '' });
    return mounted;
  }

  async #make(
    pod: Pod,
    volume: Volume,
    plan: Exclude<ReturnType<typeof planVolume>, { type: 'payload' }>,
  ): Promise<MountedVolume> {
    if (plan.type === 'hostPath') {
      await prepareHostPath(volume.hostPath ?? { path: plan.path });
      return { path: plan.path, readOnly: false };
    }
    if (plan.type === 'claim') {
      const path = await this.#claimPath(pod, claimNameOf(pod, volume));
      await this.#own(pod, path);
      return { path, readOnly: plan.readOnly };
    }
    const mode = volume.emptyDir?.mode ?? 0o777;
    if (plan.memory) await this.#makeInMemory(pod, plan.path, mode, volume.emptyDir?.sizeLimit);
    else await this.#makeOnDisk(pod, plan.path, mode);
    return { path: plan.path, readOnly: false };
  }

  /** A volume that an earlier kubelet made is left as its containers have it; one that was half made is none. */
  async #makeOnDisk(pod: Pod, path: string, mode: number): Promise<void> {
    if (existsSync(path)) return;
    const unfinished = `${path}~unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await chmod(unfinished, mode);
    await this.#own(pod, unfinished);
    await rename(unfinished, path);
  }

  async #makeInMemory(pod: Pod, path: string, mode: number, sizeLimit: Quantity | undefined): Promise<void> {
    await mkdir(path, { recursive: true });
    const { mounter } = this.#options;
    if ((await mounter.mountsBelow(path)).includes(path)) return;
    const size = sizeLimit === undefined ? [] : [`size=${quantityValue(sizeLimit)}`];
    await mounter.tmpfs(path, [...size, `mode=0${mode.toString(8)}`]);
    await this.#own(pod, path);
  }

  async #own(pod: Pod, path: string): Promise<void> {
    const { fsGroup, fsGroupChangePolicy = 'Always' } = pod.spec.securityContext ?? {};
    if (fsGroup !== undefined) await setVolumeOwnership(path, fsGroup, fsGroupChangePolicy);
  }

  async #write(pod: Pod, path: string, payload: Payload): Promise<void> {
    await mkdir(path, { recursive: true });
    const stamp = `${this.#options.clock.now()}.${process.pid}.${this.#writes++}`;
    const gid = pod.spec.securityContext?.fsGroup;
    await writeAtomically(path, payload, { stamp, gid });
  }

  /** The folder of a claim that is bound to a hostPath or local volume. */
  async #claimPath(pod: Pod, name: string): Promise<string> {
    const { client } = this.#options;
    const claim = await client.get(PersistentVolumeClaim, name, pod.metadata.namespace);
    const volumeName = claim.spec.volumeName ?? '';
    if (claim.status?.phase !== 'Bound' || !volumeName) {
      throw new VolumeError(`persistentvolumeclaim "${name}" is not bound`);
    }
    const { spec } = await client.get(PersistentVolume, volumeName);
    if (spec.hostPath) {
      await prepareHostPath(spec.hostPath);
      return spec.hostPath.path;
    }
    if (spec.local) return spec.local.path;
    throw new VolumeError(`persistent volume "${volumeName}": only hostPath and local are supported by this node`);
  }
}

function digestOf(payload: Payload): string {
  const hash = createHash('sha256');
  for (const [path, { data, mode, uid }] of payload)
    hash.update(`${path}\0${mode}\0${uid}\0${data.length}\0`).update(data);
  return hash.digest('hex');
}
