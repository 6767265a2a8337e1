import type { FieldCause } from '@kubernode/api';
import { CelCostError, type Program } from '@kubernode/machinery/cel';
import { forbidden, invalid } from '../causes.ts';
import type { Plain, Schema } from '../schema.ts';

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

/** The bad value as a cause shows it: objects and lists are left out. */
export type Shown = { readonly value: unknown } | 'omitted';

/** The most bytes of a message that an expression makes (MaxEvaluatedMessageExpressionSizeBytes). */
const messageBytesMax = 5 * 1024;

/** What is said of a broken rule, and what finding that out cost; nothing is judged after a fatal one. */
export interface Message {
  readonly detail: string;
  readonly cost: number;
  readonly isFatal: boolean;
}

/** The rule's own words for errors: its message, or its text. */
export const ruleText = (rule: Rule): string => (rule.message || rule.rule).trim();

/** The message that the expression makes; the plain one where there is no expression, or it makes none. */
export function messageOf(rule: Rule, program: Program | undefined, bindings: Plain, left: number): Message {
  const plain = rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
  if (!program) return { detail: plain, cost: 0, isFatal: false };
  const quoted = JSON.stringify(rule.messageExpression);
  const { value, error, cost } = program.attempt(bindings);
  if (cost > left) {
    const detail =
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
    return { detail, cost: 0, isFatal: true };
  }
  if (error instanceof CelCostError) {
    const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`;
    return { detail, cost: 0, isFatal: true };
  }
  const text = typeof value === 'string' ? value.trim() : '';
  const isGood = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax;
  return { detail: isGood ? text : plain, cost, isFatal: false };
}

export function causeOf(reason: Rule['reason'], field: string, shown: Shown, detail: string): FieldCause {
  const isOmitted = shown === 'omitted';
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return { reason, message: `Required value: ${detail}`, field };
    case 'FieldValueDuplicate':
      return {
        reason,
        message: isOmitted ? 'Duplicate value' : `Duplicate value: ${JSON.stringify(shown.value)}`,
        field,
      };
    default:
      return isOmitted
        ? { reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field }
        : invalid(field, shown.value, detail);
  }
}
