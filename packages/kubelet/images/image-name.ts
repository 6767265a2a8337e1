/** Adds the tag `latest` to a name without tag and digest. Throws for what is no image name. */
export function withDefaultTag(image: string): string {
  if (!namePattern.test(image)) throw new Error(`couldn't parse image reference "${image}": invalid reference format`);
  if (image.includes('@')) return image;
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') ? image : `${image}:latest`;
}

/** distribution's reference grammar: [host[:port]/]path[:tag][@digest]. */
const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9-]+)*|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const part = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const tag = String.raw`:[\w][\w.-]{0,127}`;
const digest = String.raw`@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,}`;
const namePattern = new RegExp(`^(?:${host}/)?${part}(?:/${part})*(?:${tag})?(?:${digest})?$`);

/** The registry that an image is pulled from; Docker Hub for names without one. */
export function registryOf(image: string): string {
  const first = image.split('/')[0] as string;
  const isHost = image.includes('/') && (first.includes('.') || first.includes(':') || first === 'localhost');
  return isHost ? first : 'index.docker.io';
}
