import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';
import type { Rule } from '../rule.ts';

const hasBacksteps = (path: string) => path.split('/').includes('..');

/** No part of the path goes up. */
export const noBacksteps: Rule<string> = (value, path) =>
  hasBacksteps(value) ? [invalid(path, value, "must not contain '..'")] : [];

/** A path below something: relative, and never up. */
export const localDescendingPath: Rule<string> = (value, path) => {
  const found: FieldCause[] = [];
  if (value.startsWith('/')) found.push(invalid(path, value, 'must be a relative path'));
  return [...found, ...noBacksteps(value, path)];
};

/** As `localDescendingPath`, and its name must not look as if it went up either: those of our own making start so. */
export const localNonReservedPath: Rule<string> = (value, path) => {
  const found = [...localDescendingPath(value, path)];
  if (value.startsWith('..') && !value.startsWith('../')) {
    found.push(invalid(path, value, "must not start with '..'"));
  }
  return found;
};
