import type { Attributes } from './seams.ts';

export interface Metrics {
  observe(attributes: Attributes | undefined, code: number, durationMs: number): void;
}

export const createMetrics = (): Metrics => ({ observe() {} });
