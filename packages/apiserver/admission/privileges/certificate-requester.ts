import type { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import { formatTime, type Clock } from '@kubernode/machinery';
import type { AdmissionPlugin } from '../../seams.ts';

/**
 * Says in a certificate signing request who made it, whatever the request claims, and when its conditions came. Not a
 * plugin upstream, but part of the storage of this kind: no flag turns it off, or anyone could ask in another's name.
 */
export function certificateRequester(clock: Clock): AdmissionPlugin {
  return {
    name: 'CertificateRequester',
    resources: ['certificatesigningrequests'],
    mutate({ attributes, operation, object, oldObject, user }) {
      if (attributes.group !== 'certificates.k8s.io' || attributes.resource !== 'certificatesigningrequests') return;
      const request = object as CertificateSigningRequest | undefined;
      if (!request?.spec) return;
      if (operation === 'CREATE') {
        const { username: _n, uid: _u, groups: _g, extra: _e, ...spec } = request.spec;
        const extra = user.extra && Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]]));
        const who = { username: user.name, groups: [...user.groups], ...(user.uid ? { uid: user.uid } : {}) };
        request.spec = { ...spec, ...who, ...(extra ? { extra } : {}) };
      } else if (operation === 'UPDATE') {
        const old = oldObject as CertificateSigningRequest;
        request.spec = structuredClone(old.spec);
        setTimes(request, old, formatTime(clock.now()));
      }
    },
  };
}

function setTimes(request: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  for (const condition of request.status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    if (condition.lastTransitionTime) continue;
    const before = old.status?.conditions?.find(({ type }) => type === condition.type);
    condition.lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
  }
}
