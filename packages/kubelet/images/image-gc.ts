import type { Cri, Image } from '@kubernode/api/cri';
import { statfs } from 'node:fs/promises';
import type { Clock, Logger } from '@kubernode/machinery';

export interface ImageGcOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts above this share of the image file system that is used … */
  readonly highThresholdPercent: number;
  /** … and ends below this one. */
  readonly lowThresholdPercent: number;
}

/** Which images to remove, least recently used first, to free `bytesToFree`. Pure. */
export function imagesToRemove(
  images: readonly Image[],
  inUse: ReadonlySet<string>,
  lastUsedMs: ReadonlyMap<string, number>,
  bytesToFree: number,
): readonly Image[] {
  const candidates = images
    .filter(({ id, pinned }) => !pinned && !inUse.has(id))
    .sort((a, b) => (lastUsedMs.get(a.id) ?? 0) - (lastUsedMs.get(b.id) ?? 0));
  const chosen: Image[] = [];
  let freed = 0;
  for (const image of candidates) {
    if (freed >= bytesToFree) break;
    chosen.push(image);
    freed += image.size;
  }
  return chosen;
}

/** Removes images that no container uses when their file system fills up. */
export class ImageGc {
  readonly #options: ImageGcOptions;
  readonly #lastUsedMs = new Map<string, number>();

  constructor(options: ImageGcOptions) {
    this.#options = options;
  }

  async collect(): Promise<void> {
    const { cri, clock, log, highThresholdPercent, lowThresholdPercent } = this.#options;
    const [{ images }, { containers }, { imageFilesystems }] = await Promise.all([
      cri.listImages({}),
      cri.listContainers({}),
      cri.imageFsInfo({}),
    ]);
    const inUse = new Set(
      containers.flatMap(({ imageId, imageRef, image }) => [imageId, imageRef, image?.image ?? '']),
    );
    for (const { id } of images) {
      if (inUse.has(id) || !this.#lastUsedMs.has(id)) this.#lastUsedMs.set(id, clock.now());
    }
    const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
    if (!mountpoint) return;
    const { blocks, bavail, bsize } = await statfs(mountpoint);
    const capacity = blocks * bsize;
    const used = capacity - bavail * bsize;
    if (capacity === 0 || (used * 100) / capacity < highThresholdPercent) return;
    const excess = used - (capacity * lowThresholdPercent) / 100;
    for (const image of imagesToRemove(images, inUse, this.#lastUsedMs, excess)) {
      log.info('removing an unused image', { image: image.repoTags[0] ?? image.id, sizeBytes: image.size });
      await cri.removeImage({ image: { image: image.id } });
    }
  }
}
