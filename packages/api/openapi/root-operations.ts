import type { Operation } from './operations.ts';
import { mediaTypes } from './operations.ts';
import { capital, groupWord, tagOf } from './words.ts';

const meta = 'meta.k8s.io/v1.';

/** Reads a document about the API itself: discovery, the version, keys. */
function reading(path: string, operationId: string, tag: string, of: Partial<Operation>): Operation {
  return {
    path,
    method: 'get',
    operationId,
    tag,
    parameters: [],
    answer: 'text',
    codes: ['200'],
    produces: mediaTypes,
    consumes: mediaTypes,
    ...of,
  };
}

/** `/api/`: the versions of the core group. */
export const coreVersions = (): Operation =>
  reading('/api/', 'getCoreAPIVersions', 'core', { answer: { type: `${meta}APIVersions` } });

/** `/apis/`: all groups. */
export const groups = (): Operation =>
  reading('/apis/', 'getAPIVersions', 'apis', { answer: { type: `${meta}APIGroupList` } });

/** `/apis/apps/` */
export function groupOperation(group: string): Operation {
  const word = groupWord(group);
  const tag = `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
  return reading(`/apis/${group}/`, `get${word}APIGroup`, tag, { answer: { type: `${meta}APIGroup` } });
}

/** `/apis/apps/v1/`: the resources of a group version. */
export function resourcesOperation(group: string, version: string): Operation {
  const path = group ? `/apis/${group}/${version}/` : `/api/${version}/`;
  const id = `get${groupWord(group)}${capital(version)}APIResources`;
  return reading(path, id, tagOf(group, version), { answer: { type: `${meta}APIResourceList` } });
}

const json = ['application/json'];

/** `/version/` */
export const versionOperation = (): Operation =>
  reading('/version/', 'getCodeVersion', 'version', {
    answer: { type: versionInfo },
    consumes: json,
    produces: json,
  });

/** Not a type of the facts: what `/version` answers. */
export const versionInfo = 'version.Info';

const ofOpenId: Readonly<Record<string, () => Operation>> = {
  '/.well-known/openid-configuration': () =>
    reading('/.well-known/openid-configuration/', 'getServiceAccountIssuerOpenIDConfiguration', 'WellKnown', {
      consumes: undefined,
      produces: json,
    }),
  '/openid/v1/jwks': () =>
    reading('/openid/v1/jwks/', 'getServiceAccountIssuerOpenIDKeyset', 'openid', {
      consumes: undefined,
      produces: ['application/jwk-set+json'],
    }),
};

/** The operation on one of the server's plain documents, by its path; undefined of those that are not published. */
export const plainOperation = (path: string): Operation | undefined => ofOpenId[path]?.();
