import { qualifiedName } from '@kubernode/machinery';
import type { FieldCause } from '../status-error.ts';
import { invalid, notSupported } from './cause.ts';

/** How a leader is chosen: by Kubernetes' own way, or by one with a domain. Upstream names the field twice. */
export function leaseStrategy(strategy: string, path: string): readonly FieldCause[] {
  const at = `${path}.strategy`;
  if (!strategy.includes('/'))
    return strategy === 'OldestEmulationVersion' ? [] : [notSupported(at, strategy, ['OldestEmulationVersion'])];
  return qualifiedName(strategy).map((detail) => invalid(at, strategy, detail));
}
