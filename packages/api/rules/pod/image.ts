/** How names of images are made (distribution/reference): a registry, a path of lower-case parts, a tag, a digest. */
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(`^((?:${domain}/)?${part}(?:/${part})*)(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`);
const nameBytesMax = 255;

/** The tag that an image is pulled by: the one it names, latest where it names none, undefined for what is no name. */
export function imageTag(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const slash = image.indexOf('/');
  const first = image.slice(0, slash);
  const hasRegistry = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const remainder = hasRegistry ? image.slice(slash + 1) : image;
  const path = remainder.split(':')[0]?.split('@')[0] ?? '';
  if (path !== path.toLowerCase()) return undefined;
  const [matched, name = '', tag, sum] = reference.exec(hasRegistry ? image : `docker.io/${image}`) ?? [];
  if (matched === undefined || name.length > nameBytesMax) return undefined;
  return tag ?? (sum === undefined ? 'latest' : undefined);
}
