import { CertificateSigningRequest } from '../../generated/types/certificates/v1.ts';
import { changedSigningRequest, signingRequest } from '../../rules/certificates/signing-request.ts';
import { pathSegment } from '../../rules/names.ts';
import { age, noneCell } from '../cells.ts';
import { humanDuration } from '@kubernode/machinery';
import { define } from '../define.ts';

/** Decisions are kept as they are: only the subresource `approval` makes them. */
function keepDecisions(object: CertificateSigningRequest, old: CertificateSigningRequest): void {
  const list = object.status.conditions ?? [];
  for (const type of ['Approved', 'Denied']) {
    const before = (old.status.conditions ?? []).filter((condition) => condition.type === type);
    const places = list.flatMap((condition, index) => (condition.type === type ? [index] : []));
    if (places.length !== before.length) continue;
    places.forEach((place, index) => {
      const condition = before[index];
      if (condition) list[place] = condition;
    });
  }
}

export const certificateSigningRequest = define(CertificateSigningRequest, {
  validateName: pathSegment,
  validateCreate: (object) => signingRequest(object),
  validateUpdate: (object, old) => changedSigningRequest(object, old, 'plain'),
  prepareForStatusUpdate: keepDecisions,
  validateStatusUpdate: (object, old) => changedSigningRequest(object, old, 'status'),
  subresources: {
    approval: {
      prepare: (object, old) => ({
        ...object,
        spec: old.spec,
        status: { ...old.status, conditions: object.status.conditions },
      }),
      validate: (object, old) => changedSigningRequest(object, old, 'approval'),
    },
  },
  /** A request is what was asked for; only its answer changes. */
  prepareForUpdate(object, old) {
    object.spec = old.spec;
  },
  selectableFields: { 'spec.signerName': (object) => object.spec.signerName },
  generation: 'none',
  row: (object) => [
    object.metadata.name,
    age(object),
    object.spec.signerName || noneCell,
    object.spec.username ?? '',
    object.spec.expirationSeconds === undefined ? noneCell : humanDuration(object.spec.expirationSeconds * 1000),
    conditionCell(object),
  ],
});

function conditionCell({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status.conditions?.some((condition) => condition.type === type);
  const words = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'];
  if (has('Failed')) words.push('Failed');
  if (status.certificate) words.push('Issued');
  return words.join(',');
}
