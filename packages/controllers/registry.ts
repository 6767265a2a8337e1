import type { BuiltInController } from './start.ts';

/** All built-in controllers, a folder each. */
export const builtInControllers: readonly BuiltInController[] = [];
