import { admissionFlags } from './admission.ts';
import { aggregationFlags } from './aggregation.ts';
import { auditFlags } from './audit.ts';
import { authenticationFlags } from './authentication.ts';
import { authorizationFlags } from './authorization.ts';
import { encryptionFlags } from './encryption.ts';
import { endpointFlags } from './endpoints.ts';
import type { Flag } from './flag.ts';
import type { FlagGroup, FlagOptions, GivenFlags } from './group.ts';
import { requestFlags } from './requests.ts';
import { servingFlags } from './serving.ts';
import { storageFlags } from './storage.ts';

/** The rooms of the API server that have flags, each in its file here. */
const flagGroups: readonly FlagGroup[] = [
  servingFlags,
  authenticationFlags,
  authorizationFlags,
  admissionFlags,
  aggregationFlags,
  requestFlags,
  auditFlags,
  storageFlags,
  encryptionFlags,
  endpointFlags,
];

/** Every flag by its name. */
export const serverFlags: Readonly<Record<string, Flag<unknown>>> = Object.assign(
  {},
  ...flagGroups.map((group) => group.flags),
) as Record<string, Flag<unknown>>;

/** What the flags decide. Throws FlagError, naming the flag. */
export function optionsFromFlags(given: GivenFlags): Required<FlagOptions> {
  const server = {};
  const security = {};
  for (const group of flagGroups) {
    const options = group.toOptions(given);
    Object.assign(server, withoutUndefined(options.server ?? {}));
    Object.assign(security, withoutUndefined(options.security ?? {}));
  }
  return { server: { ...server, flags: shownFlags(given) }, security };
}

/** The value of every flag, given or not, as /flagz tells it. */
function shownFlags(given: GivenFlags): ReadonlyMap<string, string> {
  const shown = Object.entries(serverFlags).map(([name, { isRepeated, shownDefault = '' }]): [string, string] => {
    const values = given.get(name);
    if (isRepeated) return [name, `[${values?.join(',') ?? shownDefault}]`];
    return [name, values?.at(-1) ?? shownDefault];
  });
  return new Map(shown);
}

const withoutUndefined = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Reads `--name=value`, `--name value` and `--switch`. Throws where a flag is not known or lacks its value. */
export function parseFlags(
  args: readonly string[],
  flags: Readonly<Record<string, Flag<unknown>>> = serverFlags,
): GivenFlags {
  const given = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const [, name = '', inline] = /^--([^=]+)(?:=([^]*))?$/.exec(args[at]!) ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (!flag) throw new Error(`unknown flag: ${args[at]}`);
    const value = inline ?? (flag.isSwitch ? 'true' : args[++at]);
    if (value === undefined) throw new Error(`flag needs an argument: --${name}`);
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  return given;
}
