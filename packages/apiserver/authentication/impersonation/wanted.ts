import { StatusError } from '@kubernode/api';
import type { Credentials } from '../../seams.ts';
import { headerValues, unescapedKey } from '../header-values.ts';

/** What Impersonate-* headers ask for, before anything is added. */
export interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const extraPrefix = 'impersonate-extra-';

/**
 * Reads the Impersonate-* headers; undefined where there are none. Throws BadRequest for the rest without a user.
 * `isConstrained`: only its wording depends on it.
 */
export function wantedUser(credentials: Credentials, isConstrained: boolean): Wanted | undefined {
  const { headers } = credentials;
  const extra: Record<string, readonly string[]> = {};
  let hasExtra = false;
  for (const header in headers) {
    if (!header.startsWith(extraPrefix)) continue;
    hasExtra = true;
    const key = unescapedKey(header.slice(extraPrefix.length));
    Object.defineProperty(extra, key, { value: headerValues(credentials, header), enumerable: true });
  }
  const [name = ''] = headerValues(credentials, 'impersonate-user');
  const groups = headerValues(credentials, 'impersonate-group');
  const [uid = ''] = headerValues(credentials, 'impersonate-uid');
  const wanted = { name, uid, groups, extra };
  if (name) return wanted;
  if (!uid && groups.length === 0 && !hasExtra) return undefined;
  throw StatusError.badRequest(isConstrained ? constrainedText(wanted) : legacyText(wanted));
}

/** Go's `%#v` of the user: clients see it, and so do logs. */
function constrainedText({ uid, groups, extra }: Wanted): string {
  const texts = (values: readonly string[]) => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const keys = Object.keys(extra).sort();
  const map = keys.map((key) => `${JSON.stringify(key)}:${texts(extra[key]!)}`);
  const groupText = groups.length > 0 ? texts(groups) : '[]string(nil)';
  const extraText = keys.length > 0 ? `map[string][]string{${map.join(', ')}}` : 'map[string][]string(nil)';
  const user = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`;
  return `requested ${user} without impersonating a user name`;
}

/** Go's `%v` of object references: kind, namespace, name, uid, version, resourceVersion and field path. */
function legacyText({ uid, groups, extra }: Wanted): string {
  const version = 'authentication.k8s.io/v1';
  const references = [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${version}  ${key}}`),
    ),
    ...(uid ? [`{UID  ${uid}  ${version}  }`] : []),
  ];
  return `requested [${references.join(' ')}] without impersonating a user`;
}
