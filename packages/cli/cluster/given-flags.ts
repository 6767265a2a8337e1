import { serverFlags, type GivenFlags } from '@kubernode/apiserver';
import { Option } from 'commander';
import type { ServerFlags } from './server-flags.ts';

/** What commander collected of the API server's own table: texts by the flags' names. */
export function givenFlags(flags: ServerFlags): GivenFlags {
  const collected = flags as unknown as Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  const given = new Map<string, readonly string[]>();
  for (const name of Object.keys(serverFlags)) {
    const value = collected[new Option(`--${name}`).attributeName()];
    if (typeof value === 'string' || typeof value === 'boolean') given.set(name, [String(value)]);
    else if (value) given.set(name, value);
  }
  return given;
}
