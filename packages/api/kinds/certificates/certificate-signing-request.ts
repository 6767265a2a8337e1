import { CertificateSigningRequest } from '../../generated/types/certificates/v1.ts';
import { define } from '../define.ts';

export const certificateSigningRequest = define(CertificateSigningRequest);
