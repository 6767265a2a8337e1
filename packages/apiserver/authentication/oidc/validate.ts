import type { IsEnabled } from '@kubernode/api';
import type { Program } from '@kubernode/machinery/cel';
import { Problems } from '../../component-config/problems.ts';
import { authoritiesOf } from '../client-certificate.ts';
import { pathProblem } from '../impersonation/extra.ts';
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  Issuer,
  JwtAuthenticator,
  PrefixedClaim,
} from './configuration.ts';
import { compileExpression, type Scope } from './expressions.ts';

/** A JWT authenticator whose expressions are compiled. */
export interface CompiledAuthenticator {
  readonly configuration: JwtAuthenticator;
  readonly username?: Program | undefined;
  readonly groups?: Program | undefined;
  readonly uid?: Program | undefined;
  readonly extra: readonly { readonly key: string; readonly program: Program }[];
  readonly claimRules: readonly CompiledRule[];
  readonly userRules: readonly CompiledRule[];
}

export interface CompiledRule {
  readonly program: Program;
  readonly message: string;
}

interface Validation {
  readonly problems: Problems;
  /** Service account issuers: their tokens are checked by others. */
  readonly disallowedIssuers: readonly string[];
  readonly isEnabled: IsEnabled;
}

const authenticatorsMax = 64;

/** Throws all that is wrong, worded as upstream's. Answers the authenticators with their expressions compiled. */
export function validateAuthenticationConfiguration(
  configuration: AuthenticationConfiguration,
  options: Omit<Validation, 'problems'>,
): CompiledAuthenticator[] {
  const problems = new Problems();
  const { jwt = [], anonymous } = configuration;
  if (jwt.length > authenticatorsMax) problems.tooMany('jwt', jwt.length, authenticatorsMax);
  const validation = { ...options, problems };
  const compiled = jwt.map((one, index) => validateAuthenticator(one, `jwt[${index}]`, validation));
  for (const field of ['url', 'discoveryURL'] as const) {
    const seen = new Set<string>();
    for (const [index, { issuer }] of jwt.entries()) {
      const url = issuer?.[field];
      if (!url) continue;
      if (seen.has(url)) problems.duplicate(`jwt[${index}].issuer.${field}`, url);
      seen.add(url);
    }
  }
  if (anonymous && !anonymous.enabled && anonymous.conditions?.length) {
    const why = 'enabled should be set to true when conditions are defined';
    problems.invalid('anonymous.conditions', anonymous.conditions, why);
  }
  problems.throwIfAny('invalid authentication configuration: ');
  return compiled;
}

function validateAuthenticator(one: JwtAuthenticator, path: string, validation: Validation): CompiledAuthenticator {
  validateIssuer(one.issuer ?? {}, `${path}.issuer`, validation);
  const claimRules = validateClaimRules(one, `${path}.claimValidationRules`, validation);
  const mappings = validateMappings(one.claimMappings ?? {}, `${path}.claimMappings`, validation);
  const userRules = validateUserRules(one, `${path}.userValidationRules`, validation);
  const compiled = { configuration: one, ...mappings, claimRules, userRules };
  const emailVerified = [
    mappings.username,
    ...mappings.extra.map(({ program }) => program),
    ...claimRules.map(({ program }) => program),
  ];
  if (
    mappings.username &&
    uses(mappings.username, 'email') &&
    !emailVerified.some((program) => uses(program, 'email_verified'))
  ) {
    const why =
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
    validation.problems.invalid(`${path}.claimMappings.username.expression`, mappings.username.source, why);
  }
  return compiled;
}

/** Whether an expression reads `claims.NAME`. */
const uses = (program: Program | undefined, name: string): boolean =>
  program !== undefined &&
  new RegExp(`\\bclaims\\s*(\\.\\s*\\??\\s*${name}\\b|\\[\\??\\s*["']${name}["'])`).test(program.source);

function validateIssuer(issuer: Issuer, path: string, { problems, disallowedIssuers, isEnabled }: Validation): void {
  const { url = '', discoveryURL = '', audiences = [], audienceMatchPolicy = '', egressSelectorType = '' } = issuer;
  if (url === '') problems.required(`${path}.url`);
  else validateUrl(url, `${path}.url`, problems, disallowedIssuers);
  if (discoveryURL !== '') {
    if (url !== '' && url.replace(/\/+$/, '') === discoveryURL.replace(/\/+$/, ''))
      problems.invalid(`${path}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL');
    validateUrl(discoveryURL, `${path}.discoveryURL`, problems, []);
  }
  if (audiences.length === 0) problems.required(`${path}.audiences`, `at least one ${path}.audiences is required`);
  for (const [index, audience] of audiences.entries()) {
    if (audience === '') problems.required(`${path}.audiences[${index}]`);
    if (audiences.indexOf(audience) < index) problems.duplicate(`${path}.audiences[${index}]`, audience);
  }
  const policyPath = `${path}.audienceMatchPolicy`;
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    problems.invalid(policyPath, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences');
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny') {
    const why = 'audienceMatchPolicy must be empty or MatchAny for single audience';
    problems.invalid(policyPath, audienceMatchPolicy, why);
  }
  if (issuer.certificateAuthority) {
    try {
      authoritiesOf(issuer.certificateAuthority);
    } catch (error) {
      problems.invalid(`${path}.certificateAuthority`, '<omitted>', (error as Error).message);
    }
  }
  if (egressSelectorType === '') return;
  const selector = `${path}.egressSelectorType`;
  if (!isEnabled('StructuredAuthenticationConfigurationEgressSelector')) {
    const why =
      'egress selector is not supported when StructuredAuthenticationConfigurationEgressSelector feature gate is disabled';
    problems.invalid(selector, egressSelectorType, why);
  }
  if (egressSelectorType !== 'controlplane' && egressSelectorType !== 'cluster')
    problems.invalid(selector, egressSelectorType, 'egress selector must be either controlplane or cluster');
  // There is no egress selector configuration to look it up in.
  else problems.add(`oidc: egress lookup required with egress selector type ${JSON.stringify(egressSelectorType)}`);
}

function validateUrl(url: string, path: string, problems: Problems, disallowed: readonly string[]): void {
  if (disallowed.includes(url)) {
    const list = `[${[...disallowed].sort().join(' ')}]`;
    problems.invalid(path, url, `URL must not overlap with disallowed issuers: ${list}`);
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') problems.invalid(path, url, 'URL scheme must be https');
  if (parsed?.username || parsed?.password) problems.invalid(path, url, 'URL must not contain a username or password');
  if (parsed?.search) problems.invalid(path, url, 'URL must not contain a query');
  if (parsed?.hash) problems.invalid(path, url, 'URL must not contain a fragment');
}

function validateClaimRules(
  { claimValidationRules = [] }: JwtAuthenticator,
  path: string,
  validation: Validation,
): CompiledRule[] {
  const { problems } = validation;
  const claims = new Set<string>();
  const expressions = new Set<string>();
  return claimValidationRules.flatMap(({ claim = '', requiredValue = '', expression = '', message = '' }, index) => {
    const at = `${path}[${index}]`;
    if (claim && expression) problems.invalid(at, claim, "claim and expression can't both be set");
    else if (!claim && !expression) problems.required(at, 'claim or expression is required');
    else if (claim) {
      if (message) problems.invalid(`${at}.message`, message, 'may not be specified when claim is set');
      if (claims.has(claim)) problems.duplicate(`${at}.claim`, claim);
      claims.add(claim);
    } else {
      if (requiredValue)
        problems.invalid(`${at}.requiredValue`, requiredValue, 'may not be specified when expression is set');
      if (expressions.has(expression)) problems.duplicate(`${at}.expression`, expression);
      expressions.add(expression);
      const program = tryCompile(expression, 'claims', `${at}.expression`, validation, true);
      return program ? [{ program, message }] : [];
    }
    return [];
  });
}

function tryCompile(
  source: string,
  scope: Scope,
  path: string,
  { problems }: Validation,
  mustBeBoolean = false,
): Program | undefined {
  try {
    return compileExpression(source, scope, mustBeBoolean);
  } catch (error) {
    problems.invalid(path, source, (error as Error).message);
    return undefined;
  }
}

function validateMappings(mappings: ClaimMappings, path: string, validation: Validation) {
  const { uid = {} } = mappings;
  const username = validateClaim(mappings.username ?? {}, `${path}.username`, validation, true);
  const groups = validateClaim(mappings.groups ?? {}, `${path}.groups`, validation, false);
  if (uid.claim && uid.expression) {
    validation.problems.invalid(`${path}.uid`, '', "claim and expression can't both be set");
  }
  const uidProgram =
    uid.expression && !uid.claim
      ? tryCompile(uid.expression, 'claims', `${path}.uid.expression`, validation)
      : undefined;
  return { username, groups, uid: uidProgram, extra: validateExtra(mappings, `${path}.extra`, validation) };
}

function validateClaim(
  { claim = '', prefix, expression = '' }: PrefixedClaim,
  path: string,
  validation: Validation,
  isRequired: boolean,
): Program | undefined {
  const { problems } = validation;
  if (claim && expression) problems.invalid(path, '', "claim and expression can't both be set");
  else if (!claim && !expression && isRequired) problems.required(path, 'claim or expression is required');
  else if (expression) {
    if (prefix !== undefined) problems.invalid(`${path}.prefix`, prefix, 'may not be specified when expression is set');
    return tryCompile(expression, 'claims', `${path}.expression`, validation);
  } else if (claim && prefix === undefined) {
    const why = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
    problems.required(`${path}.prefix`, why);
  }
  return undefined;
}

const reservedDomain = /^([^/]*\.)?(kubernetes\.io|k8s\.io)\//;

function validateExtra({ extra = [] }: ClaimMappings, path: string, validation: Validation) {
  const { problems } = validation;
  const seen = new Set<string>();
  return extra.flatMap(({ key = '', valueExpression = '' }, index) => {
    const at = `${path}[${index}]`;
    const problem = key === '' ? `${at}.key: Required value` : pathProblem(key, `${at}.key`);
    if (problem) problems.add(problem);
    if (key !== key.toLowerCase()) problems.invalid(`${at}.key`, key, 'must be lowercase');
    if (reservedDomain.test(key)) {
      const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
      problems.invalid(`${at}.key`, key, why);
    }
    if (seen.has(key)) problems.duplicate(`${at}.key`, key);
    seen.add(key);
    if (valueExpression === '') {
      problems.required(`${at}.valueExpression`);
      return [];
    }
    const program = tryCompile(valueExpression, 'claims', `${at}.valueExpression`, validation);
    return program ? [{ key, program }] : [];
  });
}

function validateUserRules(
  { userValidationRules = [] }: JwtAuthenticator,
  path: string,
  validation: Validation,
): CompiledRule[] {
  const { problems } = validation;
  const seen = new Set<string>();
  return userValidationRules.flatMap(({ expression = '', message = '' }, index) => {
    const at = `${path}[${index}].expression`;
    if (expression === '') problems.required(at);
    else if (seen.has(expression)) problems.duplicate(at, expression);
    else {
      seen.add(expression);
      const program = tryCompile(expression, 'user', at, validation, true);
      if (program) return [{ program, message }];
    }
    return [];
  });
}
