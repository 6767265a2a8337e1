import type { FieldCause } from '@kubernode/api';
import { invalid, notSupported, required } from '../causes.ts';
import { followPath } from '../field-path.ts';
import type { Schema } from '../schema.ts';
import { whyNotStructural } from './unsupported.ts';

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** What is wrong with the texts of validation rules, before they are compiled. */
export function ruleCauses(schema: Schema, path: string): FieldCause[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [...textCauses(rule, at), ...pathCauses(rule, schema, `${at}.fieldPath`)];
  });
}

const breaksLine = (text: string) => /[\n\r]/.test(text);

function textCauses({ rule, message = '', messageExpression = '', reason }: Rule, at: string): FieldCause[] {
  const found: FieldCause[] = [];
  const [text, shown] = [rule.trim(), message.trim()];
  if (!text) found.push(required(`${at}.rule`, 'rule is not specified'));
  else if (message && !shown) found.push(invalid(`${at}.message`, message, 'must be non-empty if specified'));
  else if (breaksLine(shown)) found.push(invalid(`${at}.message`, message, 'must not contain line breaks'));
  else if (breaksLine(text) && !shown) {
    found.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression && !messageExpression.trim()) {
    found.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason)) found.push(notSupported(`${at}.reason`, reason, reasons));
  return found;
}

function pathCauses({ fieldPath = '' }: Rule, schema: Schema, at: string): FieldCause[] {
  if (!fieldPath) return [];
  const found: FieldCause[] = [];
  if (!fieldPath.trim()) found.push(invalid(at, fieldPath, 'must be non-empty if specified'));
  if (breaksLine(fieldPath)) found.push(invalid(at, fieldPath, 'must not contain line breaks'));
  const isStructural = whyNotStructural(schema) === undefined;
  if (isStructural && typeof followPath(schema, fieldPath) === 'string')
    found.push(invalid(at, fieldPath, 'must be a valid path'));
  return found;
}
