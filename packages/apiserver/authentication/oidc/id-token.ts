import { formatTime } from '@kubernode/machinery';
import { quotedList } from '../go-quote.ts';
import type { Provider } from './provider.ts';
import { isSignature, type PublishedKey } from './signatures.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface IdTokenRules {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly nowMs: number;
}

/** Clocks of issuers may be ahead by this much (go-oidc). */
const notBeforeLeewayMs = 5 * 60_000;

/** The claims of an ID token that is good now. Rejects with what is wrong, in go-oidc's words. */
export async function verifyIdToken(token: string, provider: Provider, rules: IdTokenRules): Promise<Claims> {
  const [headerPart = '', claimsPart = '', signaturePart = ''] = token.split('.');
  const header = jsonPart(headerPart);
  const claims = jsonPart(claimsPart);
  checkTypes(claims);
  if (claims['iss'] !== rules.issuer && !isGoogle(claims['iss'], rules.issuer)) {
    const [wanted, found] = [JSON.stringify(rules.issuer), JSON.stringify(claims['iss'] ?? '')];
    throw new Error(`oidc: id token issued by a different provider, expected ${wanted} got ${found}`);
  }
  checkAudience(claims, rules.audiences);
  checkTimes(claims, rules.nowMs);
  const algorithm = typeof header['alg'] === 'string' ? header['alg'] : '';
  if (!rules.algorithms.includes(algorithm)) {
    const list = quotedList(rules.algorithms);
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${list} got ${JSON.stringify(algorithm)}`,
    );
  }
  const keyId = typeof header['kid'] === 'string' ? header['kid'] : '';
  const body = Buffer.from(`${headerPart}.${claimsPart}`);
  const signature = Buffer.from(signaturePart, 'base64url');
  const isGood = (key: PublishedKey) => isSignature(algorithm, key, body, signature);
  if (provider.known(keyId).some(isGood)) return claims;
  try {
    await provider.refresh();
  } catch (error) {
    throw new Error(`failed to verify signature: ${(error as Error).message}`, { cause: error });
  }
  if (!provider.known(keyId).some(isGood)) {
    throw new Error('failed to verify signature: failed to verify id token signature');
  }
  return claims;
}

/** Claims of the standard have a type, whatever else is asked of them. */
function checkTypes(claims: Claims): void {
  for (const name of ['iss', 'sub']) {
    const value = claims[name];
    if (value === undefined || value === null || typeof value === 'string') continue;
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    const why = `json: cannot unmarshal ${type} into Go struct field idToken.${name} of type string`;
    throw new Error(`oidc: failed to unmarshal claims: ${why}`);
  }
}

const isGoogle = (found: unknown, issuer: string): boolean =>
  issuer === 'https://accounts.google.com' && found === 'accounts.google.com';

function checkAudience(claims: Claims, audiences: readonly string[]): void {
  const { aud } = claims;
  const found = (Array.isArray(aud) ? aud : [aud]).filter((item): item is string => typeof item === 'string');
  if (found.some((audience) => audiences.includes(audience))) return;
  const wanted = audiences.length === 1 ? JSON.stringify(audiences[0]) : `in ${quotedList([...audiences].sort())}`;
  throw new Error(`oidc: expected audience ${wanted} got ${quotedList(found)}`);
}

function checkTimes(claims: Claims, nowMs: number): void {
  const expiresMs = Number(claims['exp'] ?? 0) * 1000;
  if (!(expiresMs > nowMs)) throw new Error(`oidc: token is expired (Token Expiry: ${goTime(expiresMs)})`);
  const notBefore = claims['nbf'];
  if (notBefore === undefined || Number(notBefore) * 1000 <= nowMs + notBeforeLeewayMs) return;
  throw new Error(
    `oidc: current time ${goTime(nowMs)} before the nbf (not before) time: ${goTime(Number(notBefore) * 1000)}`,
  );
}

const goTime = (ms: number): string => `${formatTime(ms).replace('T', ' ').replace('Z', '')} +0000 UTC`;

function jsonPart(part: string): Claims {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Claims;
  } catch {
    // Told below.
  }
  throw new Error('oidc: malformed jwt');
}
