import type { ServedResource } from '../registry.ts';
import type { Content } from '../request.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { currentUnreadable, listUnreadable, oneUnreadable } from '../storage/unreadable.ts';

/**
 * Waits until an object can be read in a resource's version; undefined where there is nothing to wait for. `worded` says
 * in which words a failure is told.
 */
export function prepared(
  resource: ServedResource,
  object: StoredObject,
  worded: (error: unknown, resource: ServedResource) => unknown,
): Promise<void> | undefined {
  return resource.conversion.prepare?.([object])?.catch((error: unknown) => {
    throw worded(error, resource);
  });
}

/** As `prepared`, of whatever an answer has. */
export function preparedContent(content: Content): Promise<void> | undefined {
  if (content.type === 'object') return prepared(content.resource, content.object, oneUnreadable);
  if (content.type !== 'list') return undefined;
  const { resource, objects } = content;
  return resource.conversion.prepare?.(objects)?.catch((error: unknown) => {
    throw listUnreadable(error, resource);
  });
}

/** What a watch waits for before each batch; undefined for resources that are read as they are. */
export function preparing({ conversion }: ServedResource) {
  const { prepare } = conversion;
  if (!prepare) return undefined;
  return (items: readonly WatchItem[]) =>
    prepare(items.flatMap((item) => (item.type === 'BOOKMARK' ? [] : [item.object])))?.catch((error: unknown) => {
      throw currentUnreadable(error);
    });
}
