import type { MetricsRegistry } from './registry.ts';

/** What is served at the moment. */
export interface Served {
  /** Grows with each change. */
  generation(): number;
  has(group: string, resource: string): boolean;
}

/**
 * Ends the series of custom resources that are gone, before the next exposition: a cluster whose CustomResourceDefinitions
 * come and go would otherwise show more and more of them, and at last no new ones. Upstream ends those of how many objects
 * there are, and keeps all others until it is restarted.
 */
export function forgetUnserved(registry: MetricsRegistry, served: Served): void {
  let seen = served.generation();
  registry.onCollect(() => {
    if (seen === served.generation()) return;
    seen = served.generation();
    // Built-in groups without a dot are never gone, and what the store calls so is no group at all.
    registry.forget(['group', 'resource'], ([group = '', resource = '']) => {
      return group.includes('.') && resource !== '' && !served.has(group, resource);
    });
  });
}
