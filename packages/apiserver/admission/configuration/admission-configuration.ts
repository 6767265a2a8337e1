import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';

/** What `--admission-control-config-file` says: a configuration for each plugin that has one. */
export interface AdmissionConfiguration {
  /** The plugin's own configuration object as YAML has it; undefined where there is none. */
  configurationFor(plugin: string): unknown;
}

export const noAdmissionConfiguration: AdmissionConfiguration = { configurationFor: () => undefined };

interface PluginEntry {
  readonly name?: unknown;
  readonly path?: unknown;
  readonly configuration?: unknown;
}

const apiVersions: ReadonlySet<unknown> = new Set(['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1']);
const fields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'plugins']);
const pluginFields: ReadonlySet<string> = new Set(['name', 'path', 'configuration']);
/** Two plugins whose configuration once was the whole file. */
const legacy: Readonly<Record<string, string>> = {
  imagePolicy: 'ImagePolicyWebhook',
  podNodeSelectorPluginConfig: 'PodNodeSelector',
};

/**
 * Reads the file and those that it names, which are relative to it. Throws for files that cannot be read, and what is no
 * AdmissionConfiguration.
 */
export function readAdmissionConfiguration(path: string): AdmissionConfiguration {
  const value = readYaml(path);
  if (!isObject(value)) throw new Error(`${path}: expected an AdmissionConfiguration`);
  const { apiVersion, kind } = value;
  if (apiVersion === undefined && kind === undefined) return legacyConfiguration(path, value);
  if (!apiVersions.has(apiVersion) || kind !== 'AdmissionConfiguration') {
    const found = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new Error(`${path}: ${found}, expected AdmissionConfiguration of apiserver.config.k8s.io/v1`);
  }
  const plugins = (value['plugins'] ?? []) as readonly PluginEntry[];
  checkFields(path, value, fields, '');
  plugins.forEach((plugin, index) => checkFields(path, plugin, pluginFields, `plugins[${index}].`));
  const configurations = new Map<string, unknown>();
  for (const { name, path: file, configuration } of plugins) {
    if (typeof name !== 'string' || configurations.has(name)) continue;
    const own = typeof file === 'string' && file ? () => readYaml(resolve(dirname(path), file)) : () => undefined;
    configurations.set(name, configuration ?? own());
  }
  return { configurationFor: (plugin) => configurations.get(plugin) };
}

function legacyConfiguration(path: string, value: Readonly<Record<string, unknown>>): AdmissionConfiguration {
  const plugins = Object.keys(legacy).filter((field) => field in value);
  if (plugins.length === 0) throw new Error(`${path}: Object 'Kind' is missing`);
  return { configurationFor: (plugin) => (Object.values(legacy).includes(plugin) ? value : undefined) };
}

function checkFields(path: string, value: unknown, known: ReadonlySet<string>, prefix: string): void {
  if (!isObject(value)) throw new Error(`${path}: ${prefix || 'the configuration'} is no object`);
  const unknown = Object.keys(value).filter((field) => !known.has(field));
  if (unknown.length === 0) return;
  const list = unknown.map((field) => `unknown field "${prefix}${field}"`).join(', ');
  throw new Error(`${path}: strict decoding error: ${list}`);
}

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`unable to read admission control configuration from ${JSON.stringify(path)} [${why}]`, {
      cause: error,
    });
  }
  return load(text);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
