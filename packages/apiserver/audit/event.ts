import type { User } from '@kubernode/api';
import type { Level, Stage } from './policy.ts';

/** JSON that is written into an event as it is. */
export interface RawJson {
  readonly text: string;
}

export interface ObjectReference {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

/** The part of a Status that events keep. */
export interface ResponseStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code?: number | undefined;
}

/** audit.k8s.io/v1 Event, at one of its stages. */
export interface AuditEvent {
  readonly level: Level;
  readonly auditID: string;
  stage: Stage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: User | undefined;
  impersonatedUser?: User | undefined;
  impersonationConstraint?: string | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  objectRef?: ObjectReference | undefined;
  responseStatus?: ResponseStatus | undefined;
  requestObject?: RawJson | undefined;
  responseObject?: RawJson | undefined;
  readonly requestReceivedMs: number;
  stageMs: number;
  annotations?: Record<string, string> | undefined;
}

/** As Go's encoder writes an event: fields in their order, maps sorted, what is empty left out, HTML escaped. */
export function eventJson(event: AuditEvent, { typed }: { readonly typed: boolean }): string {
  const fields: string[] = typed ? ['"kind":"Event"', '"apiVersion":"audit.k8s.io/v1"'] : [];
  const add = (name: string, value: unknown) => {
    if (value !== undefined && value !== '') fields.push(`"${name}":${JSON.stringify(value)}`);
  };
  add('level', event.level);
  add('auditID', event.auditID);
  add('stage', event.stage);
  add('requestURI', event.requestURI);
  add('verb', event.verb);
  add('user', userInfo(event.user));
  if (event.impersonatedUser) add('impersonatedUser', userInfo(event.impersonatedUser));
  const { impersonationConstraint } = event;
  if (impersonationConstraint) add('authenticationMetadata', { impersonationConstraint });
  if (event.sourceIPs.length > 0) add('sourceIPs', event.sourceIPs);
  add('userAgent', event.userAgent);
  add('objectRef', event.objectRef && referenceInOrder(event.objectRef));
  add('responseStatus', event.responseStatus && statusInOrder(event.responseStatus));
  if (event.requestObject) fields.push(`"requestObject":${event.requestObject.text}`);
  if (event.responseObject) fields.push(`"responseObject":${event.responseObject.text}`);
  add('requestReceivedTimestamp', microTime(event.requestReceivedMs));
  add('stageTimestamp', microTime(event.stageMs));
  if (event.annotations) add('annotations', sorted(event.annotations));
  return `{${fields.join(',')}}`.replace(escaped, (character) => escapes[character]!);
}

// They stand in strings only, as do the two separators.
const escaped = /[<>&\u2028\u2029]/g;
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const microTime = (ms: number) => {
  const micros = Math.floor((ms % 1) * 1000);
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
};

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const userInfo = (user: User | undefined) => ({
  username: user?.name || undefined,
  uid: user?.uid || undefined,
  groups: user && user.groups.length > 0 ? user.groups : undefined,
  extra: user?.extra && Object.keys(user.extra).length > 0 ? sorted(user.extra) : undefined,
});

const referenceInOrder = (reference: ObjectReference) => ({
  resource: reference.resource || undefined,
  namespace: reference.namespace || undefined,
  name: reference.name || undefined,
  uid: reference.uid || undefined,
  apiGroup: reference.apiGroup || undefined,
  apiVersion: reference.apiVersion || undefined,
  resourceVersion: reference.resourceVersion || undefined,
  subresource: reference.subresource || undefined,
});

const statusInOrder = ({ status, message, reason, details, code }: ResponseStatus) => ({
  metadata: {},
  status: status || undefined,
  message: message || undefined,
  reason: reason || undefined,
  details,
  code: code || undefined,
});

/** The format `legacy`: one line of text. */
export function eventLine(event: AuditEvent): string {
  const { user, impersonatedUser: as, objectRef, responseStatus, sourceIPs } = event;
  const groupsOf = (of: User | undefined) => (of ?? { groups: [] }).groups.map((group) => quoted(group)).join(',');
  const parts = {
    id: event.auditID,
    stage: event.stage,
    ip: sourceIPs[0] ?? '<unknown>',
    method: event.verb,
    user: user?.name || '<none>',
    groups: groupsOf(user) || '<none>',
    as: as ? as.name : '<self>',
    asgroups: as ? groupsOf(as) : '<lookup>',
    'user-agent': event.userAgent,
    namespace: objectRef?.namespace || '<none>',
    uri: event.requestURI,
  };
  const response = responseStatus ? String(responseStatus.code ?? 0) : '<deferred>';
  const texts = Object.entries(parts).map(([name, value]) => `${name}=${quoted(value)}`);
  const time = microTime(event.requestReceivedMs).replace(/\.?0+Z$/, 'Z');
  return `${time} AUDIT: ${texts.join(' ')} response="${response}"`;
}

const quoted = (text: string) => JSON.stringify(text);
