import { createHash } from 'node:crypto';
import type { Container, EphemeralContainer } from '@kubernode/api/core/v1';

/**
 * A container is killed and made anew when this changes. As upstream, only name and image count: everything else of a
 * container is either immutable or may change in place.
 */
export function containerHash(container: Container | EphemeralContainer): string {
  return createHash('sha256')
    .update(JSON.stringify([container.name, container.image ?? '']))
    .digest('hex')
    .slice(0, 8);
}
