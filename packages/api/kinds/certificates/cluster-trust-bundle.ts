import { ClusterTrustBundle } from '../../generated/types/certificates/v1.ts';
import { ClusterTrustBundle as ClusterTrustBundlev1beta1 } from '../../generated/types/certificates/v1beta1.ts';
import { invalid } from '../../rules/cause.ts';
import { trustBundle, trustBundleName } from '../../rules/certificates/trust-bundle.ts';
import { immutable } from '../../rules/values.ts';
import { noneCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const clusterTrustBundle = defineVersions([ClusterTrustBundle, ClusterTrustBundlev1beta1], {
  validateName: (name, isPrefix, { spec }) => trustBundleName(name, isPrefix, spec.signerName ?? ''),
  validateCreate: (bundle) => trustBundle(bundle),
  validateUpdate: (bundle, old) => [
    ...trustBundleName(bundle.metadata.name ?? '', false, bundle.spec.signerName ?? '').map((detail) =>
      invalid('metadata.name', bundle.metadata.name, detail),
    ),
    ...trustBundle(bundle, old),
    ...immutable(bundle.spec.signerName, 'spec.signerName', old.spec.signerName),
  ],
  unconditionalUpdate: false,
  selectableFields: { 'spec.signerName': (object) => object.spec.signerName ?? '' },
  rechecksName: true,
  row: (object) => [object.metadata.name, object.spec.signerName || noneCell],
});
