import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import type { Condition } from '../names.ts';

const annotation = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes community need its approval (KEP-1111); undefined for all others. */
export function approvalCondition({ metadata, spec }: CustomResourceDefinition): Condition | undefined {
  if (!isCommunityGroup(spec.group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const value = metadata.annotations?.[annotation] ?? '';
  if (value === '') {
    const message = `protected groups must have approval annotation "${annotation}", see https://github.com/kubernetes/enhancements/pull/1111`;
    return { type, status: 'False', reason: 'MissingAnnotation', message };
  }
  if (value.startsWith('unapproved')) {
    return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(value)}` };
  }
  if (URL.canParse(value)) {
    return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` };
  }
  const message = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return { type, status: 'False', reason: 'InvalidAnnotation', message };
}

const isCommunityGroup = (group: string): boolean =>
  group === 'k8s.io' || group === 'kubernetes.io' || group.endsWith('.k8s.io') || group.endsWith('.kubernetes.io');
