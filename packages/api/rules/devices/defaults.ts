import type { DeviceRequest, DeviceTaint, ExactDeviceRequest } from '../../generated/types/resource/v1.ts';

type Flat = DeviceRequest & Partial<ExactDeviceRequest>;

/** What is filled in of a request, in every version: v1beta1 has the fields of `exactly` in the request itself. */
export function requestDefaults(request: DeviceRequest): void {
  const { exactly, firstAvailable } = request;
  if (exactly) countDefaults(exactly);
  else if ((request as Flat).deviceClassName) countDefaults(request as Flat);
  firstAvailable?.forEach(countDefaults);
}

function countDefaults(request: Partial<Pick<ExactDeviceRequest, 'allocationMode' | 'count'>>): void {
  request.allocationMode ??= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}

/** A taint holds from the moment on in which it was written. */
export function taintDefaults(taint: DeviceTaint, nowTime: string | undefined): void {
  if (nowTime !== undefined) taint.timeAdded ??= nowTime;
}
