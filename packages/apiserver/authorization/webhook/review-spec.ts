import type { User } from '@kubernode/api';
import type { SubjectAccessReviewSpec } from '@kubernode/api/authorization/v1';
import { parseFieldSelector, parseLabelSelector, table } from '@kubernode/machinery';
import type { Attributes } from '../../seams.ts';

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A question as a SubjectAccessReview asks it. Selectors that cannot be read are left out. */
export function reviewSpec(user: User, attributes: Attributes): SubjectAccessReviewSpec {
  const { verb, group, version, resource, subresource, namespace, name, path } = attributes;
  const who = {
    user: user.name,
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(user.extra && { extra: user.extra as Record<string, string[]> }),
    ...(user.uid && { uid: user.uid }),
  };
  if (resource === '') return { nonResourceAttributes: { path, verb }, ...who };
  const fieldSelector = tried(attributes.fieldSelector, fieldRequirements);
  const labelSelector = tried(attributes.labelSelector, labelRequirements);
  const told = { namespace, verb, group, version, resource, subresource, name };
  return {
    resourceAttributes: {
      ...(Object.fromEntries(Object.entries(told).filter(([, value]) => value !== '')) as object),
      ...(fieldSelector && { fieldSelector }),
      ...(labelSelector && { labelSelector }),
    },
    ...who,
  } as SubjectAccessReviewSpec;
}

function tried(text: string | undefined, read: (text: string) => Requirement[]) {
  if (!text) return undefined;
  try {
    const requirements = read(text);
    return requirements.length > 0 ? { requirements } : undefined;
  } catch {
    return undefined;
  }
}

const fieldRequirements = (text: string): Requirement[] =>
  parseFieldSelector(text).map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '!=' ? 'NotIn' : 'In',
    values: [value],
  }));

const labelOperators: Readonly<Record<string, string>> = table({
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
});

const labelRequirements = (text: string): Requirement[] =>
  parseLabelSelector(text).requirements.flatMap(({ key, operator, values }) => {
    const told = labelOperators[operator];
    return told ? [{ key, operator: told, ...(values.length > 0 && { values }) }] : [];
  });
