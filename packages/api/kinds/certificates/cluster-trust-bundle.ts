import { ClusterTrustBundle } from '../../generated/types/certificates/v1.ts';
import { ClusterTrustBundle as ClusterTrustBundlev1beta1 } from '../../generated/types/certificates/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const clusterTrustBundle = defineVersions([ClusterTrustBundle, ClusterTrustBundlev1beta1]);
