import { dns1035Label, dns1123Subdomain, qualifiedName } from '@kubernode/machinery';
import { StorageVersion, type ServerStorageVersion } from '../../generated/types/internal/v1alpha1.ts';
import { duplicate, invalid, required } from '../../rules/cause.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

/** `<group>.<resource>`. */
function nameProblems(name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((detail) => `the group segment ${detail}`),
    ...dns1035Label(name.slice(dot + 1)).map((detail) => `the resource segment ${detail}`),
  ];
}

/** A version, with or without a group. */
function versionProblems(apiVersion: string): readonly string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return ['an apiVersion is a DNS-1035 label with an optional DNS subdomain prefix'];
  const [group, version = ''] = parts.length === 2 ? parts : [undefined, apiVersion];
  const problems = (text: string, of: (value: string) => readonly string[], what: string) =>
    (text ? of(text) : ['must be non-empty']).map((detail) => `${what} part: ${detail}`);
  return [
    ...(group === undefined ? [] : problems(group, dns1123Subdomain, 'group')),
    ...problems(version, dns1035Label, 'version'),
  ];
}

function serverCauses(server: ServerStorageVersion, path: string): FieldCause[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions: decodable = [], servedVersions = [] } = server;
  const versionCauses = (version: string, at: string) => {
    const problems = versionProblems(version);
    return problems.length > 0 ? [invalid(at, version, problems.join(','))] : [];
  };
  const found = dns1123Subdomain(apiServerID).map((detail) => invalid(`${path}.apiServerID`, apiServerID, detail));
  found.push(...versionCauses(encodingVersion, `${path}.encodingVersion`));
  decodable.forEach((version, index) => found.push(...versionCauses(version, `${path}.decodableVersions[${index}]`)));
  if (!decodable.includes(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    found.push(invalid(`${path}.decodableVersions`, decodable, detail));
  }
  servedVersions.forEach((version, index) => {
    const at = `${path}.servedVersions[${index}]`;
    found.push(...versionCauses(version, at));
    const detail = `individual served version : ${version} must be included in decodableVersions : [${decodable.join(' ')}]`;
    if (!decodable.includes(version)) found.push(invalid(at, version, detail));
  });
  return found;
}

function statusCauses({ status }: StorageVersion): readonly FieldCause[] {
  const { storageVersions: servers = [], commonEncodingVersion: common, conditions = [] } = status;
  const seen = new Set<string>();
  const found = servers.flatMap((server, index) => {
    const path = `status.storageVersions[${index}]`;
    const id = server.apiServerID ?? '';
    const twice = seen.has(id) ? [duplicate(`${path}.apiServerID`, id)] : [];
    seen.add(id);
    return [...twice, ...serverCauses(server, path)];
  });
  const encodings = new Set(servers.map(({ encodingVersion }) => encodingVersion ?? ''));
  const actual = encodings.size === 1 ? [...encodings][0] : undefined;
  if (common !== actual) {
    const detail =
      actual === undefined
        ? 'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
        : `the ${common === undefined ? '' : 'actual '}common encoding version is ${actual}`;
    found.push(invalid('status.commonEncodingVersion', common, detail));
  }
  const types = new Map<string, number>();
  conditions.forEach(({ type, status: value, reason, message }, index) => {
    // Upstream leaves the list's own name out of the path.
    const at = `status[${index}]`;
    const first = types.get(type);
    const detail = `the type of the condition is not unique, it also appears in conditions[${first}]`;
    if (first !== undefined) found.push(invalid(`${at}.type`, type, detail));
    types.set(type, index);
    found.push(...qualifiedName(type).map((problem) => invalid(`${at}.type`, type, problem)));
    found.push(...qualifiedName(value).map((problem) => invalid(`${at}.status`, value, problem)));
    if (!reason) found.push(required(`${at}.reason`));
    if (!message) found.push(required(`${at}.message`));
  });
  return found;
}

export const storageVersion = define(StorageVersion, {
  validateName: nameProblems,
  validateStatusUpdate: statusCauses,
  generation: 'none',
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    object.status.commonEncodingVersion ?? unsetCell,
    (object.status.storageVersions ?? [])
      .map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`)
      .join(',') || unsetCell,
    age(object),
  ],
});
