import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatReference, parseReference, writeBusyboxImage, type Runtime } from '@kubernode/runtime';
import type { ControlActions } from './control-socket.ts';

/** What `kubernode image` asks of the running node. */
export function imageActions(images: Runtime['images']): ControlActions {
  return {
    async 'image-load'(argument) {
      const { path, name } = argument as { path: string; name?: string };
      return images.load(path, name === undefined ? {} : { name });
    },
    async 'image-pull'(argument) {
      const { reference, credentials } = argument as {
        reference: string;
        credentials?: { username: string; password: string };
      };
      await images.pull(reference, credentials ? { credentials } : {});
      // The image may have other names, too.
      return formatReference(parseReference(reference));
    },
    async 'image-list'() {
      return images
        .list()
        .map(({ id, tags, digests, sizeBytes }) => ({ id, names: tags.length > 0 ? tags : digests, sizeBytes }));
    },
    async 'image-remove'(argument) {
      const { reference } = argument as { reference: string };
      if (!images.find(reference)) throw new Error(`there is no image ${JSON.stringify(reference)}`);
      await images.remove(reference);
    },
    async 'image-demo'(argument) {
      const { name } = argument as { name: string };
      const folder = await mkdtemp(join(tmpdir(), 'kubernode-demo-'));
      try {
        await writeBusyboxImage(folder, { name });
        return await images.load(folder);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}
