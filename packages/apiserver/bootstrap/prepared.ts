import { readFile } from 'node:fs/promises';
import { formatTime } from '@kubernode/machinery';
import type { PostStartContext, StoredValue } from '../options.ts';
import type { ResourceRegistry } from '../registry.ts';
import { objectKey } from '../storage/keys.ts';
import { groupOf, pluralOf } from './objects.ts';

/**
 * What requests for the objects of a fresh cluster would leave in the store (prepared-1.37.txt): so that the first start
 * writes them as they are, instead of preparing hundreds of requests. `prepare.ts` makes the file, a test compares them.
 */
export interface PreparedObjects {
  /** Whether an object stands as it was prepared: then nothing is lacking. */
  has(path: string, metadata: { readonly name: string; readonly namespace?: string | undefined }): boolean;
}

/** Where each server has its own text. */
export const placeholders = { uid: '<uid>', time: '<time>', revision: '<revision>' } as const;
const anyPlaceholder = /(<uid>|<time>|<revision>)/;
/** The text between placeholders, and the placeholders: one after the other. */
type Template = readonly string[];

/** Of objects by their keys; in the order in which requests would make them. */
export type PreparedTemplates = ReadonlyMap<string, Template>;

export async function readPrepared(): Promise<PreparedTemplates> {
  const url = new URL(import.meta.resolve('@kubernode/apiserver/bootstrap/prepared-1.37.txt'));
  const templates = new Map<string, Template>();
  for (const line of (await readFile(url, 'utf8')).split('\n')) {
    const end = line.indexOf(' ');
    if (line.startsWith('/')) templates.set(line.slice(0, end), line.slice(end + 1).split(anyPlaceholder));
  }
  return templates;
}

/** The stored forms for a fresh store, of the resources that are served. */
export function preparedValues(
  { registry, newUid }: Pick<PostStartContext, 'registry' | 'newUid'>,
  templates: PreparedTemplates,
  nowMs: number,
): StoredValue[] {
  const time = formatTime(nowMs);
  return [...templates]
    .filter(([key]) => isServed(registry, key))
    .map(([key, template]) => {
      const own: Readonly<Record<string, string>> = { '<uid>': newUid(), '<time>': time, '<revision>': '0' };
      return { key, value: Buffer.from(template.map((text) => own[text] ?? text).join('')) };
    });
}

/** What of the prepared objects stands as it was written. */
export function preparedObjects(registry: ResourceRegistry, templates: PreparedTemplates): PreparedObjects {
  return {
    has(path, { name, namespace = '' }) {
      const cache = registry.preferred(groupOf(path), pluralOf(path))?.cache;
      const key = cache && objectKey(cache.prefix, namespace, name);
      const template = key && templates.get(key);
      const stored = template && cache.objects.get(key);
      return Boolean(stored && follows(stored.bytes, template));
    },
  };
}

/** Whether the bytes are the template's, with some text without quotes in place of each placeholder. */
function follows(bytes: Buffer, template: Template): boolean {
  const quote = 0x22;
  let at = 0;
  for (const text of template) {
    if (anyPlaceholder.test(text)) {
      at = bytes.indexOf(quote, at);
      if (at < 0) return false;
    } else {
      const end = at + Buffer.byteLength(text);
      if (bytes.toString('utf8', at, end) !== text) return false;
      at = end;
    }
  }
  return at === bytes.length;
}

/** `/registry/<group>/<resource>/...`, and an API service only of what is served itself. */
function isServed(registry: ResourceRegistry, key: string): boolean {
  const [, , group = '', plural = '', name = ''] = key.split('/');
  if (!registry.preferred(group === 'core' ? '' : group, plural)) return false;
  if (plural !== 'apiservices') return true;
  const [version = ''] = name.split('.', 1);
  return registry.group(name.slice(version.length + 1))?.versions.has(version) ?? false;
}
