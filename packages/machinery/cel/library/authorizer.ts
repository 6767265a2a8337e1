import { dns1123Label, dns1123Subdomain } from '../../names.ts';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { opaqueType } from '../types.ts';
import { Opaque } from '../values.ts';

/** What an expression asks an authorizer; for paths `path` is set, for resources the rest. */
export interface AuthorizationQuery {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Set when a service account is asked about in place of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers at once: expressions do not wait. A webhook authorizer's answers must be fetched before. */
export type Authorize = (query: AuthorizationQuery) => AuthorizationAnswer;

type Account = AuthorizationQuery['serviceAccount'];
type Query = Omit<AuthorizationQuery, 'verb'>;

/** The value of the variable `authorizer`; `query` grows as an expression says what it asks. */
class Authorizer extends Opaque {
  readonly typeName: string;
  readonly authorize: Authorize;
  readonly query: Query;

  constructor(stage: string, authorize: Authorize, query: Query) {
    super();
    this.typeName = `kubernetes.authorization.${stage}`;
    this.authorize = authorize;
    this.query = query;
  }

  with(stage: string, more: Query): Authorizer {
    return new Authorizer(stage, this.authorize, { ...this.query, ...more });
  }

  check(verb: string): Decision {
    return new Decision(this.authorize({ ...this.query, verb }));
  }
}

class Decision extends Opaque {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}

export const authorizerType = opaqueType('kubernetes.authorization.Authorizer');
export const resourceCheckType = opaqueType('kubernetes.authorization.ResourceCheck');

/** The value of `authorizer`. */
export function authorizerValue(authorize: Authorize): Opaque {
  return new Authorizer('Authorizer', authorize, {});
}

/** The value of `authorizer.requestResource`: a check of the resource of the request itself. */
export function resourceCheckValue(authorize: Authorize, resource: Query): Opaque {
  return new Authorizer('ResourceCheck', authorize, resource);
}

function path(authorizer: Authorizer, text: string): Authorizer {
  if (text.trim() === '') throw new CelError('path must not be empty');
  return authorizer.with('PathCheck', { path: text });
}

function resource(authorizer: Authorizer, text: string): Authorizer {
  if (text.trim() === '') throw new CelError('resource must not be empty');
  return authorizer.with('ResourceCheck', { resource: text });
}

function serviceAccount(authorizer: Authorizer, namespace: string, name: string): Authorizer {
  if (dns1123Subdomain(name).length > 0) throw new CelError('Invalid service account name');
  if (dns1123Label(namespace).length > 0) throw new CelError('Invalid service account namespace');
  const account: Account = { namespace, name };
  return authorizer.with('Authorizer', { serviceAccount: account });
}

const setter =
  (key: keyof Query) =>
  (check: Authorizer, value: string): Authorizer =>
    check.with('ResourceCheck', { [key]: value });

const stage = (name: string): string => `kubernetes.authorization.${name}`;
const onResource = `${stage('ResourceCheck')}.(string) ${stage('ResourceCheck')}`;
const check = (subject: Authorizer, verb: string): Decision => subject.check(verb);

/** Authorization checks (KEP-3488, KEP-4601). */
export const authorizerLibrary = functionTable([
  ['path', 'authorizer_path', `${stage('Authorizer')}.(string) ${stage('PathCheck')}`, path],
  [
    'group',
    'authorizer_group',
    `${stage('Authorizer')}.(string) ${stage('GroupCheck')}`,
    (authorizer: Authorizer, group: string) => authorizer.with('GroupCheck', { group }),
  ],
  [
    'serviceAccount',
    'authorizer_serviceaccount',
    `${stage('Authorizer')}.(string, string) ${stage('Authorizer')}`,
    serviceAccount,
  ],
  ['resource', 'groupcheck_resource', `${stage('GroupCheck')}.(string) ${stage('ResourceCheck')}`, resource],
  ['subresource', 'resourcecheck_subresource', onResource, setter('subresource')],
  ['namespace', 'resourcecheck_namespace', onResource, setter('namespace')],
  ['name', 'resourcecheck_name', onResource, setter('name')],
  ['fieldSelector', 'authorizer_fieldselector', onResource, setter('fieldSelector')],
  ['labelSelector', 'authorizer_labelselector', onResource, setter('labelSelector')],
  ['check', 'pathcheck_check', `${stage('PathCheck')}.(string) ${stage('Decision')}`, check],
  ['check', 'resourcecheck_check', `${stage('ResourceCheck')}.(string) ${stage('Decision')}`, check],
  ['errored', 'decision_errored', `${stage('Decision')}.() bool`, ({ answer }: Decision) => answer.error !== undefined],
  ['error', 'decision_error', `${stage('Decision')}.() string`, ({ answer }: Decision) => answer.error ?? ''],
  ['allowed', 'decision_allowed', `${stage('Decision')}.() bool`, ({ answer }: Decision) => answer.allowed],
  ['reason', 'decision_reason', `${stage('Decision')}.() string`, ({ answer }: Decision) => answer.reason],
]);
