import { PodCertificateRequest } from '../../generated/types/certificates/v1.ts';
import { PodCertificateRequest as PodCertificateRequestv1beta1 } from '../../generated/types/certificates/v1beta1.ts';
import { podCertificate } from '../../rules/certificates/pod-certificate.ts';
import { podCertificateStatus } from '../../rules/certificates/pod-certificate-status.ts';
import { immutable } from '../../rules/values.ts';
import { defineVersions } from '../define.ts';

export const podCertificateRequest = defineVersions([PodCertificateRequest, PodCertificateRequestv1beta1], {
  validateCreate: podCertificate,
  validateUpdate: (request, old) => immutable(request.spec, 'spec', old.spec),
  validateStatusUpdate: podCertificateStatus,
  generation: 'none',
  unconditionalUpdate: false,
  selectableFields: {
    'spec.signerName': ({ spec }) => spec.signerName,
    'spec.podName': ({ spec }) => spec.podName,
    'spec.nodeName': ({ spec }) => spec.nodeName,
  },
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.podName,
    spec.serviceAccountName,
    spec.nodeName,
    spec.signerName,
    ['Issued', 'Denied', 'Failed'].find((type) => status.conditions?.some((condition) => condition.type === type)) ??
      'Pending',
    Object.keys(spec.unverifiedUserAnnotations ?? {})
      .toSorted()
      .join(','),
  ],
});
