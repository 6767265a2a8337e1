import { StatusError, type KubernetesObject } from '@kubernode/api';
import type { AdmissionRequest } from '../seams.ts';

/** A plugin's refusal: 403 on the object, by the name that it has or will get a suffix to (apiserver, admission.NewForbidden). */
export function refuse(request: AdmissionRequest, why: string): StatusError {
  const { group, resource, name } = request.attributes;
  const metadata = request.object?.metadata;
  const shown = name || metadata?.name || metadata?.generateName || 'Unknown';
  return StatusError.forbidden({ group, plural: resource }, shown, why);
}

/** What upstream's plugins answer with an error of no kind of its own: 500 without a reason. */
export function unclassified(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** Whether the request is about a resource of the core group itself, not one of its subresources. */
export function isAbout(request: AdmissionRequest, resource: string, group = '', subresource = ''): boolean {
  const { attributes } = request;
  return attributes.resource === resource && attributes.group === group && attributes.subresource === subresource;
}

/** The object that is to be created, changed in place; undefined where the request does something else. */
export function created<T extends KubernetesObject>(
  request: AdmissionRequest,
  resource: string,
  group = '',
): T | undefined {
  if (request.operation !== 'CREATE' || !isAbout(request, resource, group)) return undefined;
  return request.object as T | undefined;
}
