/**
 * A tool for writing rules: replays recorded cases against the definitions, in process, and says how many agree.
 * `node packages/api/kinds/oracle.ts [--only Pod] [--show 20] [--op create]`
 */
import { deepClone } from '@kubernode/machinery';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyDefaults } from '../codec/defaults.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { decodeValue } from '../codec/json.ts';
import type { KindDefinition } from '../definition.ts';
import type { KubernetesObject } from '../kind.ts';
import { fieldDropper } from '../rules/feature-gates.ts';
import { featureGates } from '../rules/gate-specs.ts';
import type { Service } from '../generated/types/core/v1.ts';
import { addresses } from '../rules/service/addresses.ts';
import { validateMetadata, validateMetadataUpdate } from '../rules/metadata.ts';
import { type NameRule, subdomainName } from '../rules/names.ts';
import { notSaidYet, validateShape } from '../rules/shape.ts';
import { scheme, type ResourceInfo } from '../scheme.ts';
import type { FieldCause } from '../status-error.ts';

export interface Recording {
  readonly op: 'create' | 'update' | 'status';
  readonly path: string;
  readonly value?: unknown;
  readonly remove?: boolean;
  readonly code: number;
  readonly causes?: readonly (readonly [reason: string, field: string])[];
}

export interface Base {
  readonly base: KubernetesObject;
  readonly diff?: Record<string, unknown>;
}

export interface Verdict {
  readonly recording: Recording;
  readonly code: number;
  readonly causes: readonly (readonly [reason: string, field: string])[];
  readonly codeAgrees: boolean;
  readonly causesAgree: boolean;
}

const dropDisabled = fieldDropper(featureGates());

/** Stands for the uid that the server gives. */
const uid = 'd1b2a3c4-0000-4000-8000-000000000000';

/** All cases of one recorded object, judged by the definitions. */
export function judge(lines: readonly string[]): readonly Verdict[] {
  const [first, ...rest] = lines;
  const base = JSON.parse(first ?? '{}') as Base;
  const { apiVersion = '', kind = '' } = base.base;
  const info = scheme.byKind(apiVersion, kind);
  if (!info) return [];
  return rest.flatMap((line) => {
    const recording = JSON.parse(line) as Recording;
    return skipped(recording) ? [] : [verdict(recording, base, info)];
  });
}

/** What the server decides before or beside the definitions: its own metadata, conflicts, kinds in bodies. */
function skipped({ path, code }: Recording): boolean {
  return code === 409 || code === 403 || path === '/kind' || path === '/apiVersion' || path === '/metadata/namespace';
}

function verdict(recording: Recording, base: Base, info: ResourceInfo): Verdict {
  let code = recording.op === 'create' ? 201 : 200;
  let found: readonly FieldCause[] = [];
  try {
    found = recording.op === 'create' ? created(recording, base, info) : updated(recording, base, info);
    if (found.length > 0) code = 422;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    code = 400;
  }
  const causes = [...new Map(found.map((cause) => [JSON.stringify(cause), cause])).values()]
    .map(({ reason, field }) => [reason, field] as const)
    .toSorted((left, right) => (left[1] + left[0] < right[1] + right[0] ? -1 : 1));
  const expected = (recording.causes ?? []).toSorted((left, right) =>
    left[1] + left[0] < right[1] + right[0] ? -1 : 1,
  );
  const codeAgrees = code === recording.code;
  const causesAgree = codeAgrees && (code !== 422 || JSON.stringify(causes) === JSON.stringify(expected));
  return { recording, code, causes, codeAgrees, causesAgree };
}

function created({ path, value, remove }: Recording, { base }: Base, info: ResourceInfo): readonly FieldCause[] {
  const object = decoded(changed(base, path, value, remove), info);
  if (info.namespaced) object.metadata.namespace ||= 'default';
  else delete object.metadata.namespace;
  const { definition } = info;
  for (const name of [
    'resourceVersion',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    delete object.metadata[name];
  }
  object.metadata.uid = uid;
  if (!object.metadata.name && object.metadata.generateName)
    object.metadata.name = `${object.metadata.generateName}abcde`;
  if (hasStatus(info) && !definition.keepsStatusAtCreation) resetStatus(object, info);
  definition.prepareForCreate?.(object);
  if (generationOf(info) !== 'none') object.metadata.generation = 1;
  const first = addressCauses(object);
  if (first.length > 0) return first;
  return [
    ...metadataCauses(object, info),
    ...withDeclared(validateShape(object, info.shape), [
      ...ownCauses(definition, object),
      ...(definition.validateCreate?.(object) ?? []),
    ]),
  ];
}

/** Addresses of services are judged before all else, as they are when they are allocated. */
function addressCauses(object: KubernetesObject, old?: KubernetesObject): readonly FieldCause[] {
  if (object.kind !== 'Service') return [];
  return addresses((object as Service).spec, 'spec', (old as Service | undefined)?.spec);
}

function metadataCauses(object: KubernetesObject, info: ResourceInfo): readonly FieldCause[] {
  return validateMetadata(object.metadata, {
    namespaced: info.namespaced,
    validateName: nameRule(info, object),
    group: info.definition.plainFinalizers === 'always' ? undefined : info.group,
  });
}

const nameRule =
  ({ definition: { validateName = subdomainName } }: ResourceInfo, object: KubernetesObject): NameRule =>
  (name, isPrefix) =>
    validateName(name, isPrefix, object);

const ownCauses = (definition: KindDefinition, object: KubernetesObject) => definition.validate?.(object) ?? [];
const hasStatus = (info: ResourceInfo) => info.subresources.some(({ name }) => name === 'status');
const generationOf = ({ definition, subresources }: ResourceInfo) =>
  definition.generation ?? (subresources.some(({ name }) => name === 'status') ? 'spec' : 'none');

function resetStatus(object: KubernetesObject, info: ResourceInfo, old?: KubernetesObject): void {
  const target = object as { status?: unknown };
  const empty = decodeValue<{ status?: unknown }>({ metadata: {} }, info.shape).object.status;
  target.status = old ? (old as { status?: unknown }).status : empty;
}

function updated({ op, path, value, remove }: Recording, base: Base, info: ResourceInfo): readonly FieldCause[] {
  const { definition } = info;
  const stored = merged(base.base, base.diff ?? {}) as KubernetesObject;
  const placeholders = { creationTimestamp: '2026-01-01T00:00:00Z', uid };
  Object.assign(stored.metadata, placeholders);
  const old = decoded(stored, info);
  const object = decoded(changed(stored, path, value, remove), info);
  if (info.namespaced) object.metadata.namespace ||= 'default';
  object.metadata.uid = placeholders.uid;
  object.metadata.creationTimestamp = placeholders.creationTimestamp;
  object.metadata.generation = old.metadata.generation;
  if (op === 'status') {
    const { status } = object as { status?: unknown };
    const next = { ...deepClone(old), status } as KubernetesObject;
    definition.prepareForStatusUpdate?.(next, old, placeholders.creationTimestamp);
    return [
      ...validateMetadataUpdate(next.metadata, old.metadata, {
        group: definition.plainFinalizers ? undefined : info.group,
      }),
      ...withDeclared(validateShape(next, info.shape, old), definition.validateStatusUpdate?.(next, old) ?? []),
    ];
  }
  if (hasStatus(info)) resetStatus(object, info, old);
  definition.prepareForUpdate?.(object, old);
  const first = addressCauses(object, old);
  if (first.length > 0) return first;
  return [
    ...validateMetadataUpdate(object.metadata, old.metadata, {
      group: definition.plainFinalizers === 'always' ? undefined : info.group,
      prefixRule: definition.rechecksName ? nameRule(info, object) : undefined,
    }),
    ...withDeclared(validateShape(object, info.shape, old), [
      ...ownCauses(definition, object),
      ...(definition.validateUpdate?.(object, old) ?? []),
    ]),
  ];
}

const withDeclared = (declared: readonly FieldCause[], own: readonly FieldCause[]) => [
  ...declared,
  ...notSaidYet(own, declared),
];

function decoded(value: unknown, info: ResourceInfo): KubernetesObject {
  const { object } = decodeValue<KubernetesObject>(value, info.shape);
  dropDisabled(object, info.shape);
  applyDefaults(object, info.shape);
  info.definition.defaults?.(object);
  return object;
}

/** The object with one place set or removed; parents that miss are made, as the recordings' README says. */
function changed(base: unknown, pointer: string, value: unknown, remove = false): unknown {
  const root = structuredClone(base) as Record<string, unknown>;
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let parent: Record<string, unknown> = root;
  keys.forEach((key, index) => {
    const next = keys[index + 1] ?? last;
    if (typeof parent[key] !== 'object' || parent[key] === null) parent[key] = /^\d+$/.test(next) ? [{}] : {};
    parent = parent[key] as Record<string, unknown>;
  });
  if (!remove) parent[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return root;
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch === 'string') return stoodFor[patch] ?? patch;
  if (Array.isArray(patch)) return patch.map((item) => merged(undefined, item));
  if (typeof patch !== 'object' || patch === null) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (/[nN]odePort$/.test(key)) result[key] = nodePortAfter(value);
    else if (key === 'clusterIPs') result[key] = [result['clusterIP']];
    else result[key] = merged(result[key], value);
  }
  return result;
}

let nodePorts = 0;
/** A port of its own for each that the server picked. */
const nodePortAfter = (value: unknown) =>
  typeof value === 'number' ? value : 30_080 + (nodePorts = (nodePorts + 1) % 2000);

/** What recordings write for values that a server picks. */
const stoodFor: Readonly<Record<string, string>> = {
  '<time>': '2026-01-01T00:00:00Z',
  '<uid>': uid,
  '<allocated>': '10.96.0.77',
};

function main(): void {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, show: { type: 'string' }, op: { type: 'string' } },
  });
  const folder = join(import.meta.dirname, '../../../test/recordings/objects');
  let show = Number(values.show ?? 0);
  const totals = { all: 0, codes: 0, causes: 0 };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    if (values.only && !new RegExp(values.only).test(file)) continue;
    const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
    const verdicts = judge(lines).filter(({ recording }) => !values.op || recording.op === values.op);
    const codes = verdicts.filter(({ codeAgrees }) => codeAgrees).length;
    const causes = verdicts.filter(({ causesAgree }) => causesAgree).length;
    totals.all += verdicts.length;
    totals.codes += codes;
    totals.causes += causes;
    process.stdout.write(
      `${percent(codes, verdicts.length)} ${percent(causes, verdicts.length)} ${verdicts.length} ${file}\n`,
    );
    for (const { recording, code, causes: got } of verdicts.filter(({ causesAgree }) => !causesAgree).slice(0, show)) {
      show -= 1;
      const { op, path, value, remove } = recording;
      const change = remove ? 'removed' : JSON.stringify(value).slice(0, 80);
      process.stdout.write(
        `  ${op} ${path} ${change}\n    expected ${recording.code} ${JSON.stringify(recording.causes ?? [])}\n`,
      );
      process.stdout.write(`    got      ${code} ${JSON.stringify(got)}\n`);
    }
  }
  process.stdout.write(
    `${percent(totals.codes, totals.all)} ${percent(totals.causes, totals.all)} ${totals.all} in all\n`,
  );
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)}%`.padStart(6);

if (import.meta.main) main();
