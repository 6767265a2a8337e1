import type { User } from '@kubernode/api';
import type { Bindings, Program } from '@kubernode/machinery/cel';
import { credentialIdKey } from '../client-certificate.ts';
import { claimBindings, textsOf, userBindings } from './expressions.ts';
import type { Claims } from './id-token.ts';
import type { CompiledAuthenticator, CompiledRule } from './validate.ts';

/** The user that claims describe, if the rules of the configuration let it be one. Throws in upstream's words. */
export function userOfClaims(claims: Claims, compiled: CompiledAuthenticator): User {
  const bindings = claimBindings(claims);
  const evaluate = (program: Program): unknown => valueOf(program, bindings);
  const name = usernameOf(claims, compiled, evaluate);
  const groups = groupsOf(claims, compiled, evaluate);
  const uid = uidOf(claims, compiled, evaluate);
  const extra = extraOf(claims, compiled, evaluate);
  checkRequired(claims, compiled);
  checkRules(compiled.claimRules, evaluate, 'claim validation expression');
  const user = {
    name,
    groups,
    ...(uid && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  const ofUser = userBindings(user);
  checkRules(compiled.userRules, (program) => valueOf(program, ofUser), 'user info validation rule');
  return user;
}

function valueOf(program: Program, bindings: Bindings): unknown {
  const { value, error } = program.attempt(bindings, Infinity);
  if (!error) return value;
  throw new Error(`expression '${program.source}' resulted in error: ${error.message}`, { cause: error });
}

type Evaluate = (program: Program) => unknown;

function tried<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`oidc: error evaluating ${what}: ${(error as Error).message}`, { cause: error });
  }
}

function usernameOf(claims: Claims, { username, configuration }: CompiledAuthenticator, evaluate: Evaluate): string {
  if (username) {
    const name = tried('username claim expression', () => {
      const value = evaluate(username);
      if (typeof value !== 'string') throw new Error('username claim expression must return a string');
      return value;
    });
    if (name === '') throw new Error('oidc: empty username via CEL expression is not allowed');
    return name;
  }
  const { claim = '', prefix = '' } = configuration.claimMappings?.username ?? {};
  const name = textClaim(claims, claim, (why) => `oidc: parse username claims ${JSON.stringify(claim)}: ${why}`);
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
    const isVerified = claims['email_verified'];
    if (typeof isVerified !== 'boolean') {
      throw new Error(`oidc: parse 'email_verified' claim: ${notA('bool', isVerified)}`);
    }
    if (!isVerified) throw new Error('oidc: email not verified');
  }
  return prefix + name;
}

function textClaim(claims: Claims, name: string, failure: (why: string) => string): string {
  if (!Object.hasOwn(claims, name)) throw new Error(failure('claim not present'));
  const value = claims[name];
  // As Go reads JSON: null leaves a text empty.
  if (value === null) return '';
  if (typeof value !== 'string') throw new Error(failure(notA('string', value)));
  return value;
}

function notA(type: string, value: unknown): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${type}`;
}

function groupsOf(claims: Claims, { groups, configuration }: CompiledAuthenticator, evaluate: Evaluate): string[] {
  const { claim = '', prefix = '' } = configuration.claimMappings?.groups ?? {};
  if (claim !== '' && Object.hasOwn(claims, claim)) {
    const value = claims[claim];
    const list = Array.isArray(value) ? value : value === null ? [] : [value];
    for (const item of list) {
      if (typeof item !== 'string') {
        throw new Error(`oidc: parse groups claim ${JSON.stringify(claim)}: ${notA('string', value)}`);
      }
    }
    return list.map((group) => `${prefix}${group}`);
  }
  return groups ? tried('group claim expression', () => textsOf(evaluate(groups))) : [];
}

function uidOf(claims: Claims, { uid, configuration }: CompiledAuthenticator, evaluate: Evaluate): string {
  const { claim = '' } = configuration.claimMappings?.uid ?? {};
  if (claim !== '') return textClaim(claims, claim, (why) => `oidc: parse uid claim ${JSON.stringify(claim)}: ${why}`);
  if (!uid) return '';
  return tried('uid claim expression', () => {
    const value = evaluate(uid);
    if (typeof value !== 'string') throw new Error('uid claim expression must return a string');
    return value;
  });
}

function extraOf(claims: Claims, { extra }: CompiledAuthenticator, evaluate: Evaluate): Record<string, string[]> {
  const found = new Map<string, string[]>();
  if (typeof claims['jti'] === 'string' && claims['jti']) found.set(credentialIdKey, [`JTI=${claims['jti']}`]);
  for (const { key, program } of extra) {
    const value = evaluate(program);
    const texts = tried(`extra claim expression: ${program.source}`, () => textsOf(value));
    if (texts.length > 0) found.set(key, texts);
  }
  return Object.fromEntries(found);
}

function checkRequired(claims: Claims, { configuration }: CompiledAuthenticator): void {
  for (const { claim = '', requiredValue = '' } of configuration.claimValidationRules ?? []) {
    if (claim === '') continue;
    if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const value = textClaim(claims, claim, (why) => `oidc: parse claim ${claim}: ${why}`);
    if (value === requiredValue) continue;
    throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
  }
}

function checkRules(rules: readonly CompiledRule[], evaluate: Evaluate, what: string): void {
  for (const { program, message } of rules) {
    tried(what, () => {
      const value = evaluate(program);
      if (typeof value !== 'boolean') throw new Error('validation expression must return a boolean');
      if (!value) throw new Error(`validation expression '${program.source}' failed: ${message}`);
    });
  }
}
