import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@kubernode/api/core/v1';
import type { NodeInfo } from './node-info.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether a node has what the pod's nodeSelector and required node affinity ask for. */
export function matchesNodeAffinity({ spec }: Pod, node: NodeInfo): boolean {
  const selector = Object.entries(spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => node.labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || matchesNodeSelector(required, node);
}

/** One of the terms must match; a selector without terms matches nothing. */
function matchesNodeSelector(selector: NodeSelector, node: NodeInfo): boolean {
  return selector.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** All requirements of the term; an empty term matches nothing. */
export function matchesTerm(term: NodeSelectorTerm, node: NodeInfo): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields: Labels = { 'metadata.name': node.name };
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, node.labels)) &&
    matchFields.every((requirement) => matchesRequirement(requirement, fields))
  );
}

function matchesRequirement({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const actual = labels[key];
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
    case 'Lt':
      return isInteger(actual) && isInteger(values[0]) && compare(actual, values[0], operator);
    default:
      return false;
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^[+-]?\d+$/.test(text);
const compare = (a: string, b: string, operator: 'Gt' | 'Lt') =>
  operator === 'Gt' ? BigInt(a) > BigInt(b) : BigInt(a) < BigInt(b);
