import type { APIService, APIServiceCondition } from '@kubernode/api/apiregistration/v1';

/** An APIService that leads to an extension server. */
export type RemoteAPIService = APIService & {
  readonly spec: { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } };
};

export function isRemote(object: APIService): object is RemoteAPIService {
  return object.spec?.service !== undefined && object.spec.service !== null;
}

/** What was found out of an extension server: the condition Available, but for its time. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const isAvailable = ({ status }: APIService): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True') ?? false;

export const availableCondition = ({ status }: APIService): APIServiceCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Available');

/** `v1.apps`; `v1.` of the core group. */
export const apiServiceName = (group: string, version: string): string => `${version}.${group}`;
