import { plugin, scoreMax } from '../framework.ts';

const mebibyte = 1024 * 1024;
/** Less than this is not worth a detour; more (for each container) makes no difference. */
const smallBytes = 23 * mebibyte;
const largeBytes = 1000 * mebibyte;

/** Prefers nodes that have the images, each counted by the share of nodes that have it, so that no node is flooded. */
export const imageLocality = plugin({
  name: 'ImageLocality',
  weight: 1,
  score({ pod }, nodes, snapshot) {
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const names = containers.map(({ image = '' }) => withTag(image));
    const most = largeBytes * containers.length;
    return nodes.map((node) => {
      const bytes = names.reduce((sum, name) => {
        const share = snapshot.nodesWithImage(name) / snapshot.nodes.length;
        return sum + Math.floor((node.imageBytes(name) ?? 0) * share);
      }, 0);
      const bounded = Math.min(Math.max(bytes, smallBytes), most);
      return Math.floor((scoreMax * (bounded - smallBytes)) / (most - smallBytes));
    });
  },
});

const withTag = (image: string) => (image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image);
