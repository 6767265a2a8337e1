import type { FieldCause } from '@kubernode/api';
import type { ResourceAttributes } from '@kubernode/api/authorization/v1';
import { labelValue, parseFieldSelector, parseLabelSelector, qualifiedName } from '@kubernode/machinery';

interface Requirement {
  readonly key?: string | undefined;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

interface Selector {
  readonly rawSelector?: string | undefined;
  readonly requirements?: readonly Requirement[] | undefined;
}

/**
 * A review's selector as a request would carry it. Requirements that authorizers cannot use are left out: the selector
 * then says less, and so allows less.
 */
export function selectorText(selector: Selector | undefined): string | undefined {
  if (!selector) return undefined;
  if (selector.rawSelector) return selector.rawSelector;
  const terms = (selector.requirements ?? []).flatMap(({ key, operator, values = [] }) => {
    if (values.length !== 1) return [];
    if (operator === 'In') return [`${key}=${values[0]}`];
    return operator === 'NotIn' ? [`${key}!=${values[0]}`] : [];
  });
  return terms.join(',') || undefined;
}

const path = 'spec.resourceAttributes';

/** What of the selectors was left out, for the answer's `evaluationError`: unknown operators, text that does not parse. */
export function selectorProblems({ fieldSelector, labelSelector }: ResourceAttributes): string {
  const ofFields = ({ operator, values = [] }: Requirement) =>
    (operator === 'In' || operator === 'NotIn') && values.length === 1;
  const ofLabels = ({ operator }: Requirement) => ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
  return [
    ignored(fieldSelector, `${path}.fieldSelector`, parseFieldSelector, ofFields),
    ignored(labelSelector, `${path}.labelSelector`, parseLabelSelector, ofLabels),
  ]
    .filter(Boolean)
    .join('; ');
}

function ignored(
  selector: Selector | undefined,
  field: string,
  parse: (text: string) => unknown,
  isUsable: (requirement: Requirement) => boolean,
): string {
  const { rawSelector, requirements = [] } = selector ?? {};
  const usable = requirements.filter(isUsable).length;
  if (!rawSelector && usable === requirements.length) return '';
  if (rawSelector && parses(rawSelector, parse)) return '';
  return `${field} ${usable > 0 ? 'partially ' : ''}ignored due to parse error`;
}

function parses(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with the selectors (KEP-4601). */
export function selectorCauses({ fieldSelector, labelSelector }: ResourceAttributes): FieldCause[] {
  return [
    ...shapeCauses(fieldSelector, `${path}.fieldSelector`, fieldRequirementCauses),
    ...shapeCauses(labelSelector, `${path}.labelSelector`, labelRequirementCauses),
  ];
}

type RequirementCheck = (requirement: Requirement, field: string) => FieldCause[];

function shapeCauses(selector: Selector | undefined, field: string, check: RequirementCheck): FieldCause[] {
  if (!selector) return [];
  const { rawSelector, requirements = [] } = selector;
  if (!rawSelector && requirements.length === 0)
    return [required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`)];
  const found = requirements.flatMap((requirement, index) => check(requirement, `${field}.requirements[${index}]`));
  if (!rawSelector || requirements.length === 0) return found;
  const message = invalidText(rawSelector, 'may not specified at the same time as requirements');
  return [{ reason: 'FieldValueInvalid', field: `${field}.rawSelector`, message }, ...found];
}

const invalidText = (value: string, why: string): string => `Invalid value: ${JSON.stringify(value)}: ${why}`;
const required = (field: string, why: string): FieldCause => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value${why ? `: ${why}` : ''}`,
});

function valuesCauses({ operator, values = [] }: Requirement, field: string): FieldCause[] {
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    const message = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [{ reason: 'FieldValueForbidden', field: `${field}.values`, message }];
  }
  return [];
}

function fieldRequirementCauses(requirement: Requirement, field: string): FieldCause[] {
  const key = requirement.key ? [] : [required(`${field}.key`, 'must be specified')];
  return [...key, ...valuesCauses(requirement, field)];
}

function labelRequirementCauses(requirement: Requirement, field: string): FieldCause[] {
  const { key = '', values = [] } = requirement;
  const invalid = (where: string, value: string) => (why: string) => ({
    reason: 'FieldValueInvalid',
    field: where,
    message: invalidText(value, why),
  });
  return [
    ...valuesCauses(requirement, field),
    ...qualifiedName(key).map(invalid(`${field}.key`, key)),
    ...values.flatMap((value, index) => labelValue(value).map(invalid(`${field}.values[${index}]`, value))),
  ];
}
