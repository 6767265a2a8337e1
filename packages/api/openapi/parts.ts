import { createHash } from 'node:crypto';
import type { OpenApiResource } from './operations.ts';
import {
  coreVersions,
  groupOperation,
  groups,
  plainOperation,
  resourcesOperation,
  versionOperation,
} from './root-operations.ts';
import type { OpenApiV3Part } from './v3.ts';

export interface GroupVersion {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
}

export type GroupVersions = ReadonlyMap<GroupVersion, readonly OpenApiResource[]>;

/** Where a group version is, below `/` and below `/openapi/v3/`: `apis/apps/v1`, `api/v1`. */
const openApiV3Path = ({ group, version }: GroupVersion) => (group ? `apis/${group}/${version}` : `api/${version}`);

/**
 * The documents of version 3 by their path below `/openapi/v3/`, sorted: one for each group version and, where it is
 * built in, for its group; and those of discovery, the version and plain documents. Cheap: nothing is rendered.
 */
export function openApiV3Parts(
  groupVersions: GroupVersions,
  plainPaths: readonly string[],
): ReadonlyMap<string, OpenApiV3Part> {
  const parts = new Map<string, OpenApiV3Part>([
    ['api', { operations: [coreVersions()], resources: [] }],
    ['apis', { operations: [groups()], resources: [] }],
    ['version', { operations: [versionOperation()], resources: [] }],
  ]);
  for (const path of plainPaths) {
    const operation = plainOperation(path);
    if (operation) parts.set(path.slice(1), { operations: [operation], resources: [] });
  }
  for (const [groupVersion, resources] of groupVersions) {
    const { group, version } = groupVersion;
    const isCustom = resources.some(({ schema }) => schema);
    if (group && !isCustom) parts.set(`apis/${group}`, { operations: [groupOperation(group)], resources: [] });
    const operations = isCustom ? [] : [resourcesOperation(group, version)];
    parts.set(openApiV3Path(groupVersion), { operations, resources });
  }
  return new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Changes whenever the document of these resources does; 128 hexadecimal digits. */
export function openApiHash(parts: Iterable<readonly [path: string, part: OpenApiV3Part]>, release: string): string {
  const hash = createHash('sha512').update(release);
  for (const [path, { resources }] of parts) {
    hash.update(path);
    for (const { kind, plural, namespaced, verbs, subresources, schema, listKind, selectableFields } of resources) {
      const { group, version, kind: name } = kind;
      hash.update(
        JSON.stringify([
          group,
          version,
          name,
          plural,
          namespaced,
          verbs,
          subresources,
          schema,
          listKind,
          selectableFields,
        ]),
      );
    }
  }
  return hash.digest('hex').toUpperCase();
}
