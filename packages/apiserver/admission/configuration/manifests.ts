import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { applyDefaults, decodeValue, scheme, validateShape, type KubernetesObject } from '@kubernode/api';
import { loadAll } from 'js-yaml';

/** What is in a directory of manifests. */
export interface Manifests {
  /** By kind, each sorted by name. */
  readonly objects: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** Of all files' content; '' for none. */
  readonly hash: string;
}

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const apiVersion = 'admissionregistration.k8s.io/v1';
const suffix = '.static.k8s.io';

/**
 * Reads, defaults and checks all manifests of a directory: only objects of `kinds`, whose names end with
 * `.static.k8s.io` and are there once; they refer to nothing of the API (services, params). Throws with the file.
 */
export function readManifests(directory: string, kinds: readonly string[]): Manifests {
  const objects = new Map<string, KubernetesObject[]>(kinds.map((kind) => [kind, []]));
  const seen = new Map<string, string>();
  const hash = createHash('sha256');
  let isEmpty = true;
  for (const name of readdirSync(directory).sort()) {
    if (!extensions.has(extname(name).toLowerCase())) continue;
    const file = join(directory, name);
    const text = readFileSync(file, 'utf8');
    if (text === '') continue;
    isEmpty = false;
    hash.update(text).update('\0');
    for (const document of documentsIn(file, text)) {
      const object = within(file, () => readObject(document, objects));
      within(file, () => checkObject(object, file, seen));
      objects.get(object.kind!)!.push(object);
    }
  }
  for (const list of objects.values()) list.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  checkReferences(objects);
  return { objects, hash: isEmpty ? '' : `sha256:${hash.digest('hex')}` };
}

function within<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`error loading ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Documents, and what Lists hold. */
function documentsIn(file: string, text: string): readonly unknown[] {
  const unpacked = (value: unknown): unknown[] => {
    const list = value as { kind?: unknown; apiVersion?: unknown; items?: unknown[] } | null;
    if (!list) return [];
    return list.kind === 'List' && list.apiVersion === 'v1' ? (list.items ?? []).flatMap(unpacked) : [value];
  };
  return within(file, () => loadAll(text) as unknown[]).flatMap(unpacked);
}

function readObject(document: unknown, kinds: ReadonlyMap<string, unknown>): KubernetesObject {
  const { apiVersion: version, kind } = document as { apiVersion?: unknown; kind?: unknown };
  const info = version === apiVersion && typeof kind === 'string' ? scheme.byKind(apiVersion, kind) : undefined;
  if (!info || !kinds.has(kind as string)) {
    throw new Error(`unsupported resource type ${String(version as string)}, Kind=${String(kind as string)}`);
  }
  const { object, strictErrors } = decodeValue<KubernetesObject>(document, info.shape, { validation: 'Strict' });
  if (strictErrors.length > 0) throw new Error(`strict decoding error: ${strictErrors.join(', ')}`);
  applyDefaults(object, info.shape);
  info.definition.defaults?.(object);
  const causes = [...validateShape(object, info.shape), ...(info.definition.validate?.(object) ?? [])];
  const wrong = causes.filter(({ field }) => field !== 'metadata.name');
  if (wrong.length > 0) throw new Error(wrong.map(({ field, message }) => `${field}: ${message}`).join(', '));
  return object;
}

interface Checked {
  readonly spec?: { readonly paramKind?: unknown; readonly paramRef?: unknown; readonly policyName?: string };
  readonly webhooks?: readonly { name: string; clientConfig: { service?: unknown; url?: string } }[];
}

function checkObject(object: KubernetesObject, file: string, seen: Map<string, string>): void {
  const { name } = object.metadata;
  const quoted = JSON.stringify(name);
  if (!name) throw new Error(`resource in file ${JSON.stringify(file)} must have a name`);
  if (!name.endsWith(suffix)) {
    throw new Error(`${quoted} in file ${JSON.stringify(file)} must have a name ending with ${JSON.stringify(suffix)}`);
  }
  const key = `${object.kind}/${name}`;
  const before = seen.get(key);
  if (before !== undefined) {
    throw new Error(
      `duplicate name ${quoted} found in file ${JSON.stringify(file)} (previously seen in ${JSON.stringify(before)})`,
    );
  }
  seen.set(key, file);
  const { spec, webhooks = [] } = object as Checked;
  for (const { name: webhook, clientConfig } of webhooks) {
    const where = `webhook ${JSON.stringify(webhook)} in ${quoted} (file ${JSON.stringify(file)})`;
    if (clientConfig.service)
      throw new Error(
        `${where}: clientConfig.service is not supported for static manifests; use clientConfig.url instead`,
      );
    if (!clientConfig.url) throw new Error(`${where}: clientConfig.url is required for static manifests`);
  }
  if (spec?.paramKind)
    throw new Error(`${object.kind} ${quoted}: spec.paramKind is not supported for static manifests`);
  if (spec?.paramRef) throw new Error(`binding ${quoted}: spec.paramRef is not supported for static manifests`);
}

/** Bindings are for policies of the same manifests. */
function checkReferences(objects: ReadonlyMap<string, readonly KubernetesObject[]>): void {
  for (const [kind, bindings] of objects) {
    if (!kind.endsWith('PolicyBinding')) continue;
    const policies = new Set(objects.get(kind.slice(0, -'Binding'.length))?.map(({ metadata }) => metadata.name));
    for (const binding of bindings) {
      const { policyName = '' } = (binding as Checked).spec ?? {};
      const who = `binding ${JSON.stringify(binding.metadata.name)}`;
      if (policyName === '') throw new Error(`${who} must reference a policy (spec.policyName)`);
      if (!policyName.endsWith(suffix)) {
        throw new Error(
          `${who}: spec.policyName ${JSON.stringify(policyName)} must end with ${JSON.stringify(suffix)}`,
        );
      }
      if (!policies.has(policyName)) {
        throw new Error(
          `${who} references policy ${JSON.stringify(policyName)} which does not exist in the manifest directory`,
        );
      }
    }
  }
}
