import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
} from '@kubernode/api/admissionregistration/v1';
import { admissionEnvironment, CelCompileError, compileProgram, type CelType } from '@kubernode/machinery/cel';
import type { KindTypes, ResolvedKind } from './kind-types.ts';

/** No more kinds than these are checked for one policy. */
const kindsMax = 10;

interface Checked {
  readonly kind: ResolvedKind;
  readonly type: CelType;
}

/**
 * What is wrong with a policy's expressions, given the types of the objects that it is for: misspelled fields, wrong
 * types. Wildcards are not checked. (apiserver, pkg/admission/plugin/policy/validating/typechecking.go)
 */
export async function checkTypes(policy: ValidatingAdmissionPolicy, types: KindTypes): Promise<ExpressionWarning[]> {
  const { validations = [], paramKind } = policy.spec ?? {};
  const kinds = await checkedKinds(policy, types);
  const paramsType = paramKind && (await types.typeOf(kindNamed(paramKind.apiVersion ?? '', paramKind.kind ?? '')));
  const warnings: ExpressionWarning[] = [];
  const check = (expression: string | undefined, fieldRef: string) => {
    if (!expression) return;
    const problems = kinds.flatMap(({ kind, type }) => {
      const problem = problemWith(expression, policy, type, paramsType);
      return problem === undefined ? [] : [`${nameOf(kind)}: ${problem}\n`];
    });
    if (problems.length > 0) warnings.push({ fieldRef, warning: problems.join('\n') });
  };
  validations.forEach(({ expression, messageExpression }, index) => {
    check(expression, `spec.validations[${index}].expression`);
    check(messageExpression, `spec.validations[${index}].messageExpression`);
  });
  return warnings;
}

const nameOf = ({ group, version, kind }: ResolvedKind) => `${group}/${version}, Kind=${kind}`;

function kindNamed(apiVersion: string, kind: string): ResolvedKind {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1), kind };
}

/** Why an expression does not compile; undefined if it does. A variable that does not is of any type. */
function problemWith(
  expression: string,
  { spec }: ValidatingAdmissionPolicy,
  objectType: CelType,
  paramsType: CelType | undefined,
): string | undefined {
  const variables = new Map<string, CelType>();
  const common = { authorizer: true, params: spec?.paramKind !== undefined, objectType, paramsType, variables };
  const compile = (source: string): CelType => compileProgram(source, admissionEnvironment(common)).type;
  for (const variable of spec?.variables ?? []) {
    try {
      variables.set(variable.name, compile(variable.expression));
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      variables.set(variable.name, { kind: 'dyn' });
    }
  }
  try {
    compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof CelCompileError) return error.message;
    throw error;
  }
}

/** The kinds that the rules name, sorted. */
async function checkedKinds({ spec }: ValidatingAdmissionPolicy, types: KindTypes): Promise<Checked[]> {
  const found = new Map<string, ResolvedKind>();
  for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
    for (const [group, version, resource] of namedResources(rule)) {
      if (found.size >= kindsMax) break;
      const kind = await types.kindOf(group, version, resource);
      if (kind) found.set(nameOf(kind), kind);
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  const checked: Checked[] = [];
  for (const [, kind] of sorted) {
    const type = await types.typeOf(kind);
    if (type) checked.push({ kind, type });
  }
  return checked;
}

/** Group, version and resource of each combination; none where a rule has wildcards. */
function namedResources({ apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations) {
  const isWild = (name: string) => name.includes('*');
  if (apiGroups.some(isWild) || apiVersions.some(isWild)) return [];
  const named = resources.filter((name) => !/[*/]/.test(name)).toSorted();
  return apiGroups
    .toSorted()
    .flatMap((group) =>
      apiVersions.toSorted().flatMap((version) => named.map((resource) => [group, version, resource] as const)),
    );
}
