import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@kubernode/api/core/v1';

/** Whether a node has what the pod's nodeSelector and required node affinity ask for. */
export function fitsNodeAffinity({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => fitsTerm(term, node));
}

/** An empty term fits no node. */
function fitsTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields: Record<string, string> = { 'metadata.name': metadata.name };
  const labels = metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => fits(requirement, labels)) &&
    matchFields.every((requirement) => fits(requirement, fields))
  );
}

function fits({ key, operator, values = [] }: NodeSelectorRequirement, labels: Record<string, string>): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const [bound = ''] = values;
      if (value === undefined || !isInteger(value) || !isInteger(bound)) return false;
      return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
    }
    default:
      return false;
  }
}

const isInteger = (text: string) => /^-?\d+$/.test(text);
