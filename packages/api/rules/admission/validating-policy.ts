import type { AdmissionVariables } from '@kubernode/machinery/cel';
import { qualifiedName } from '@kubernode/machinery';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required } from '../cause.ts';
import { conditions } from '../conditions.ts';
import { isJsonPath } from '../json-path.ts';
import { foundIn } from '../rule.ts';
import { compileExpression, results } from './expressions.ts';
import { policyCauses, policyVariables } from './policy.ts';

const auditAnnotationsMax = 20;
const valueExpressionBytesMax = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const nothingToDo = 'validations or auditAnnotations must contain at least one item';

/** All that is wrong with a validating policy; `old` is the one before an update. */
export function validatingPolicy(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old?: ValidatingAdmissionPolicy,
): readonly FieldCause[] {
  const found = [...policyCauses(spec, old?.spec)];
  const params = spec.paramKind !== undefined;
  const names = { params, authorizer: true };
  const variables = spec.variables?.length ? policyVariables(spec.variables, names) : undefined;
  if (variables) found.push(...variables.causes);
  const all: AdmissionVariables = { ...names, ...(variables && { variables: variables.types }) };
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length + auditAnnotations.length === 0) {
    return [...found, required('spec.validations', nothingToDo), required('spec.auditAnnotations', nothingToDo)];
  }
  found.push(...foundIn(validations, (one, index) => validation(one, `spec.validations[${index}]`, all)));
  return [...found, ...annotations(auditAnnotations, metadata.name ?? '', all)];
}

function validation(one: Validation, path: string, names: AdmissionVariables): readonly FieldCause[] {
  const { expression, message = '', messageExpression = '', reason } = one;
  const found: FieldCause[] = [];
  if (!expression.trim()) found.push(required(`${path}.expression`, 'expression is not specified'));
  else found.push(...compileExpression(expression, `${path}.expression`, names, results.condition).causes);
  const at = `${path}.messageExpression`;
  const ofMessage = { ...names, authorizer: false };
  if (messageExpression.trim())
    found.push(...compileExpression(messageExpression, at, ofMessage, results.message).causes);
  else if (messageExpression) found.push(invalid(at, messageExpression, 'must be non-empty if specified'));
  if (message && !message.trim()) found.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    found.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  if (reason !== undefined && !reasons.includes(reason)) found.push(notSupported(`${path}.reason`, reason, reasons));
  return found;
}

function annotations(list: readonly AuditAnnotation[], policyName: string, names: AdmissionVariables): FieldCause[] {
  const path = 'spec.auditAnnotations';
  const found: FieldCause[] = [];
  if (list.length > auditAnnotationsMax)
    found.push(invalid(path, list, `must not have more than ${auditAnnotationsMax} auditAnnotations`));
  const seen = new Set<string>();
  const ofEach = foundIn(list, ({ key, valueExpression }, index) => {
    const found: FieldCause[] = [];
    const at = `${path}[${index}]`;
    const whole = `${policyName}/${key}`;
    if (!policyName) found.push(invalid(`${at}.key`, key, 'requires metadata.name be non-empty'));
    else found.push(...qualifiedName(whole).map((detail) => invalid(`${at}.key`, whole, detail)));
    found.push(...annotationValue(valueExpression, `${at}.valueExpression`, names));
    if (seen.has(key)) found.push(duplicate(`${at}.key`, key));
    seen.add(key);
    return found;
  });
  return [...found, ...ofEach];
}

function annotationValue(expression: string, path: string, names: AdmissionVariables): readonly FieldCause[] {
  const text = expression.trim();
  if (!text) return [required(path, 'valueExpression is not specified')];
  if (Buffer.byteLength(text) > valueExpressionBytesMax)
    return [required(path, `must not exceed ${valueExpressionBytesMax} bytes in length`)];
  return compileExpression(text, path, names, results.auditAnnotation, expression).causes;
}

/** What the type checker may note in a policy's status. */
export function validatingPolicyStatus({ status }: ValidatingAdmissionPolicy): readonly FieldCause[] {
  const path = 'status.typeChecking.expressionWarnings';
  const warnings = (status.typeChecking?.expressionWarnings ?? []).flatMap(({ warning, fieldRef }, index) => {
    const found = warning ? [] : [required(`${path}[${index}].warning`)];
    const at = `${path}[${index}].fieldRef`;
    const reference = fieldRef.trim();
    if (!reference) return [...found, required(at)];
    return isJsonPath(reference) ? found : [...found, invalid(at, reference, 'invalid JSONPath')];
  });
  return [...warnings, ...conditions(status.conditions ?? [], 'status.conditions')];
}
