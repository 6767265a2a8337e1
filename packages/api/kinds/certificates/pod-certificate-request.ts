import { PodCertificateRequest } from '../../generated/types/certificates/v1.ts';
import { PodCertificateRequest as PodCertificateRequestv1beta1 } from '../../generated/types/certificates/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const podCertificateRequest = defineVersions([PodCertificateRequest, PodCertificateRequestv1beta1]);
