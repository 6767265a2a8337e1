import type {
  Device,
  DeviceClaim,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../generated/types/resource/v1.ts';

/**
 * resource.k8s.io/v1beta1 as v1: there a request has the fields of `exactly` itself, and a device those of `basic`
 * below. Rules are written for v1 and name its paths, as upstream's do whatever the version of a request.
 */
export const claimAsV1 = <T extends ResourceClaim>(claim: T): T =>
  isFlat(claim) ? { ...claim, spec: { ...claim.spec, devices: devicesAsV1(claim.spec.devices) } } : claim;

export const templateAsV1 = <T extends ResourceClaimTemplate>(template: T): T => {
  if (!isFlat(template)) return template;
  const { spec } = template.spec;
  return { ...template, spec: { ...template.spec, spec: { ...spec, devices: devicesAsV1(spec.devices) } } };
};

export const sliceAsV1 = <T extends ResourceSlice>(slice: T): T => {
  if (!isFlat(slice) || !slice.spec.devices) return slice;
  return { ...slice, spec: { ...slice.spec, devices: slice.spec.devices.map(deviceAsV1) } };
};

const isFlat = ({ apiVersion }: { readonly apiVersion?: string | undefined }) =>
  apiVersion === 'resource.k8s.io/v1beta1';

const devicesAsV1 = (claim: DeviceClaim): DeviceClaim =>
  claim.requests ? { ...claim, requests: claim.requests.map(requestAsV1) } : claim;

/** A request that names no class and nothing else of one is none of exactly one class. */
function requestAsV1(request: DeviceRequest): DeviceRequest {
  const { name, firstAvailable, ...exactly } = request as DeviceRequest & { deviceClassName?: string };
  const says = Object.values(exactly).some((value) => value !== undefined && value !== '' && (value as unknown) !== 0);
  return {
    name,
    ...(says && { exactly: { ...exactly, deviceClassName: exactly.deviceClassName ?? '' } }),
    ...(firstAvailable && { firstAvailable }),
  } as DeviceRequest;
}

function deviceAsV1({ name, basic }: Device & { basic?: Omit<Device, 'name'> }): Device {
  return { name, ...basic };
}

/** The way back, for readers of v1beta1. */
export const claimAsV1beta1 = <T extends ResourceClaim>(claim: T): T =>
  isFlat(claim) ? claim : { ...claim, spec: { ...claim.spec, devices: devicesAsV1beta1(claim.spec.devices) } };

export const templateAsV1beta1 = <T extends ResourceClaimTemplate>(template: T): T => {
  if (isFlat(template)) return template;
  const { spec } = template.spec;
  return { ...template, spec: { ...template.spec, spec: { ...spec, devices: devicesAsV1beta1(spec.devices) } } };
};

export const sliceAsV1beta1 = <T extends ResourceSlice>(slice: T): T => {
  if (isFlat(slice) || !slice.spec.devices) return slice;
  const devices = slice.spec.devices.map(({ name, ...basic }) => ({ name, basic }));
  return { ...slice, spec: { ...slice.spec, devices } };
};

const devicesAsV1beta1 = (claim: DeviceClaim): DeviceClaim =>
  claim.requests ? { ...claim, requests: claim.requests.map(requestAsV1beta1) } : claim;

/** There the class is always written, as none if need be. */
const requestAsV1beta1 = ({ exactly, ...request }: DeviceRequest) => ({ ...request, deviceClassName: '', ...exactly });
