import { ClusterTrustBundle } from '../../generated/types/certificates/v1.ts';
import { ClusterTrustBundle as ClusterTrustBundlev1beta1 } from '../../generated/types/certificates/v1beta1.ts';
import { noneCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const clusterTrustBundle = defineVersions([ClusterTrustBundle, ClusterTrustBundlev1beta1], {
  selectableFields: { 'spec.signerName': (object) => object.spec.signerName ?? '' },
  row: (object) => [object.metadata.name, object.spec.signerName || noneCell],
});
