import type { Container, Pod, ResourceFieldSelector } from '@kubernode/api/core/v1';
import type { Quantity } from '@kubernode/api';
import { quantityMilli, quantityValue } from '@kubernode/machinery';
import { findContainer } from '../pod-lifecycle/containers-of.ts';

/** What the node can give at most: the value of a limit that is not set. */
export type NodeAllocatable = Readonly<Record<string, Quantity | undefined>>;

/**
 * The value of a resource field in units of its divisor, rounded up (upstream: ExtractContainerResourceValue). A limit
 * that is not set is the node's allocatable.
 */
export function resourceValue(
  pod: Pod,
  container: Pick<Container, 'name' | 'resources'>,
  selector: ResourceFieldSelector,
  allocatable: NodeAllocatable,
): string {
  const target = selector.containerName ? findContainer(pod, selector.containerName)?.container : container;
  if (!target) throw new Error(`container ${selector.containerName} not found`);
  const [list, resource = ''] = splitOnce(selector.resource);
  const resources = target.resources ?? {};
  const own = list === 'limits' ? resources.limits?.[resource] : resources.requests?.[resource];
  const quantity = own ?? (list === 'limits' ? allocatable[resource] : undefined);
  if (list !== 'limits' && list !== 'requests')
    throw new Error(`unsupported container resource : ${selector.resource}`);
  const divisor = selector.divisor && quantityMilli(selector.divisor) > 0 ? selector.divisor : '1';
  if (quantity === undefined) return '0';
  if (resource === 'cpu') return String(Math.ceil(quantityMilli(quantity) / quantityMilli(divisor)));
  return String(Math.ceil(quantityValue(quantity) / quantityValue(divisor)));
}

function splitOnce(path: string): [string, string | undefined] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}
