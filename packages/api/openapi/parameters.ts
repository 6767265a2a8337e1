import type { Schema } from './schemas.ts';

/** One parameter of an operation, in the address. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  /** Its name among the shared parameters of version 2; without one it is written out wherever it is taken. */
  readonly shared?: string | undefined;
}

type Row = readonly [name: string, type: Parameter['type'], suffix?: string];

const query = ([name, type, suffix]: Row): Parameter => ({
  name,
  in: 'query',
  type,
  shared: suffix && `${name}-${suffix}`,
});

/** The suffixes are upstream's: they name the same parameters in every published document. */
export const pretty = query(['pretty', 'string', 'tJGM1-ng']);
export const resourceVersion = query(['resourceVersion', 'string', '5WAnf1kx']);
export const nameParameter: Parameter = { name: 'name', in: 'path', type: 'string' };
export const namespaceParameter: Parameter = { ...nameParameter, name: 'namespace', shared: 'namespace-vgWSWtn3' };
export const pathParameter: Parameter = { ...nameParameter, name: 'path', shared: 'path-z6Ciiujn' };

export const writeParameters: readonly Parameter[] = [
  query(['dryRun', 'string']),
  query(['fieldManager', 'string', 'Qy4HdaTW']),
  query(['fieldValidation', 'string']),
];

export const patchParameters: readonly Parameter[] = [
  query(['dryRun', 'string']),
  query(['fieldManager', 'string', '7c6nTn1T']),
  query(['fieldValidation', 'string']),
  query(['force', 'boolean', 'tOGGb0Yi']),
];

const allowWatchBookmarks = query(['allowWatchBookmarks', 'boolean', 'HC2hJt-J']);
const watch = query(['watch', 'boolean', 'XNNPZGbK']);
const selection = (
  [
    ['continue', 'string', 'QfD61s0i'],
    ['fieldSelector', 'string', 'xIcQKXFG'],
    ['labelSelector', 'string', '5Zw57w4C'],
    ['limit', 'integer', '1NfNmdNH'],
    ['resourceVersion', 'string', '5WAnf1kx'],
    ['resourceVersionMatch', 'string', 't8XhRHeC'],
    ['sendInitialEvents', 'boolean', 'rLXlEK_k'],
    ['shardSelector', 'string', 'Kgyki_3_'],
    ['timeoutSeconds', 'integer', 'yvYezaOC'],
  ] as readonly Row[]
).map(query);

export const listParameters: readonly Parameter[] = [allowWatchBookmarks, ...selection, watch];

export const deleteParameters: readonly Parameter[] = [
  query(['dryRun', 'string']),
  query(['gracePeriodSeconds', 'integer', '-K5HaBOS']),
  query(['ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean', 'QbNkfIqj']),
  query(['orphanDependents', 'boolean', 'uRB25kX5']),
  query(['propagationPolicy', 'string', '6jk3prlO']),
];

export const deleteCollectionParameters: readonly Parameter[] = [...deleteParameters, ...selection];

/** Of the options of connections and of logs: kind and name → suffix; those of other kinds are written out. */
export const optionSuffixes: Readonly<Record<string, string>> = {
  'PodLogOptions.container': '1GeXxFDC',
  'PodLogOptions.follow': '9OIXh_2R',
  'PodLogOptions.insecureSkipTLSVerifyBackend': 'gM00jVbe',
  'PodLogOptions.limitBytes': 'zwd1RXuc',
  'PodLogOptions.previous': '1jxDPu3y',
  'PodLogOptions.sinceSeconds': 'vE2NLdnP',
  'PodLogOptions.stream': 'l-48cgXv',
  'PodLogOptions.tailLines': '9xQLWHMV',
  'PodLogOptions.timestamps': 'c17fW1w_',
  'PodExecOptions.command': 'Py3eQybp',
  'PodExecOptions.container': 'i5dOmRiM',
  'PodExecOptions.stderr': 'W_1TNlWc',
  'PodExecOptions.stdin': 'PSzNhyUC',
  'PodExecOptions.stdout': '-EZLRwV1',
  'PodExecOptions.tty': 's0flW37O',
  'PodAttachOptions.container': '_Q-EJ3nR',
  'PodAttachOptions.stderr': '26jJhFUR',
  'PodAttachOptions.stdin': 'sEFnN3IS',
  'PodAttachOptions.stdout': '005YMKE6',
  'PodAttachOptions.tty': 'g7MlET_l',
  'PodPortForwardOptions.ports': '91KROJmm',
  'PodProxyOptions.path': 'oPbzgLUj',
  'ServiceProxyOptions.path': 'QCf0eosM',
  'NodeProxyOptions.path': 'rFDtV0x9',
};

/** By name, those of the path before those of the query. */
export function sortedParameters(parameters: readonly Parameter[]): Parameter[] {
  return [...parameters].sort((a, b) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1));
}

/** What all operations of a path take is said once, beside them. */
export function inCommon(operations: readonly { readonly parameters: readonly Parameter[] }[]): Parameter[] {
  const [first, ...others] = operations;
  return (first?.parameters ?? []).filter((parameter) =>
    others.every(({ parameters }) => parameters.some((each) => isSame(each, parameter))),
  );
}

export function isSame(a: Parameter, b: Parameter): boolean {
  return a.name === b.name && a.in === b.in && a.type === b.type && a.shared === b.shared;
}

/** The form of version 2. */
export function parameterV2({ name, in: place, type }: Parameter): Schema {
  return { uniqueItems: true, type, name, in: place, ...(place === 'path' ? { required: true } : {}) };
}

/** The form of version 3. */
export function parameterV3({ name, in: place, type }: Parameter): Schema {
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}
