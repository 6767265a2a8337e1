import { labelSelectorMatcher, labelValue, qualifiedName } from '@kubernode/machinery';
import type { PodTemplateSpec } from '../generated/types/core/v1.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../generated/types/meta/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, invalid, required } from './cause.ts';
import { labels } from './metadata.ts';
import { each, evenIfAbsent, fields, type Rule } from './rule.ts';

/** Key, operator and the values that the operator wants. */
const requirement: Rule<LabelSelectorRequirement> = ({ key, operator, values = [] }, path) => {
  const found: FieldCause[] = [];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    found.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    found.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)) {
    found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  found.push(...qualifiedName(key).map((detail) => invalid(`${path}.key`, key, detail)));
  values.forEach((value, index) => {
    found.push(...labelValue(value).map((detail) => invalid(`${path}.values[${index}]`, value, detail)));
  });
  return found;
};

/** A label selector that can be evaluated (apimachinery, ValidateLabelSelector). */
export const labelSelector: Rule<LabelSelector> = fields<LabelSelector>({
  matchLabels: labels,
  matchExpressions: each(requirement),
});

const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector) =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/** There is a selector, it selects something, and not everything. `kind` is for the message: "deployment". */
export function workloadSelector(kind: string): Rule<LabelSelector> {
  return evenIfAbsent((selector: LabelSelector | undefined, path) => {
    if (!selector) return [required(path)];
    const found = [...labelSelector(selector, path)];
    if (isEmptySelector(selector)) found.push(invalid(path, selector, `empty selector is invalid for ${kind}`));
    return found;
  });
}

/** Says `detail` of a selector that selects everything. */
export function nonEmptySelector(detail: string): Rule<LabelSelector> {
  return (selector, path) => (isEmptySelector(selector) ? [invalid(path, selector, detail)] : []);
}

interface SelectorAndTemplate {
  readonly selector?: LabelSelector | undefined;
  readonly template: PodTemplateSpec;
}

/**
 * What the selector selects includes what the template makes, and the template keeps its own rules. A selector that
 * cannot be evaluated hides those and is a finding of its own, unless the template `isIndependent` of it.
 */
export function selectedTemplate<S extends SelectorAndTemplate>(
  templateRule: Rule<PodTemplateSpec>,
  { isIndependent = false } = {},
): Rule<S> {
  return ({ selector, template }, path) => {
    if (selector && labelSelector(selector, '').length > 0) {
      return isIndependent
        ? templateRule(template, `${path}.template`)
        : [invalid(`${path}.selector`, selector, 'invalid label selector')];
    }
    const found: FieldCause[] = [];
    const podLabels = template?.metadata?.labels;
    if (!selector || (!isEmptySelector(selector) && !matchesLabels(selector, podLabels))) {
      const detail = '`selector` does not match template `labels`';
      found.push(invalid(`${path}.template.metadata.labels`, podLabels ?? {}, detail));
    }
    return [...found, ...templateRule(template, `${path}.template`)];
  };
}

/** Whether labels are selected; nothing is, by what cannot be evaluated. */
export function matchesLabels(selector: LabelSelector, podLabels: Record<string, string> | undefined): boolean {
  if (labelSelector(selector, '').length > 0) return false;
  return labelSelectorMatcher(selector as Parameters<typeof labelSelectorMatcher>[0]).matches(podLabels);
}
