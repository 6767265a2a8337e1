import type { Transport } from '@kubernode/api';
import type { APIService, APIServiceCondition } from '@kubernode/api/apiregistration/v1';
import { asServer } from '../bootstrap/facts.ts';

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

/** Puts conditions into an APIService's status, as the API server. Rejects with Conflict where it was changed meanwhile. */
export async function writeConditions(
  transport: Transport,
  object: APIService,
  conditions: readonly APIServiceCondition[],
): Promise<void> {
  await transport.request({
    method: 'PUT',
    path: `/apis/apiregistration.k8s.io/v1/apiservices/${object.metadata.name}/status`,
    query: asServer,
    body: { ...object, apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', status: { conditions } },
  });
}

/** Of a group version that this server serves itself. */
export const local: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** `v1.apps`; `v1.` of the core group. */
export const apiServiceName = (group: string, version: string): string => `${version}.${group}`;
