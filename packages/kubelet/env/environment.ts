import type { ConfigMap, Container, EnvVar, Pod, Secret, Service } from '@kubernode/api/core/v1';
import { expand } from './expand.ts';
import { fieldValue, type PodAddresses } from './field-ref.ts';
import { resourceValue, type NodeAllocatable } from './resource-ref.ts';
import { serviceEnvironment } from './service-env.ts';

/** What a container's environment is made of besides its spec. `undefined` from the lookups: there is no such object. */
export interface EnvironmentSources extends PodAddresses {
  readonly services: readonly Service[];
  readonly allocatable: NodeAllocatable;
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
}

/** What a user has to mend in the pod or in an object that it refers to: CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

/**
 * The variables of a container in this order of precedence: services, `envFrom`, `env`; later ones win, and `env` may
 * refer to earlier ones as `$(NAME)`. `skipped` holds `envFrom` keys that are no variable names.
 */
export function containerEnvironment(
  pod: Pod,
  container: Container,
  sources: EnvironmentSources,
): { readonly env: ReadonlyMap<string, string>; readonly skipped: readonly string[] } {
  const links = pod.spec.enableServiceLinks ?? true;
  const env = new Map(serviceEnvironment(sources.services, pod.metadata.namespace ?? '', links));
  const skipped: string[] = [];
  for (const from of container.envFrom ?? []) {
    const prefix = from.prefix ?? '';
    for (const [key, value] of Object.entries(envFromValues(from, sources))) {
      // A NUL or an equals sign cannot be in a variable's name.
      if (!key || /[=\0]/.test(prefix + key)) skipped.push(key);
      else env.set(prefix + key, value);
    }
  }
  const own = new Map<string, string>();
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom
      ? valueFrom(pod, container, variable, sources)
      : expand(variable.value ?? '', (name) => own.get(name) ?? env.get(name));
    if (value !== undefined) own.set(variable.name, value);
  }
  for (const [name, value] of own) env.set(name, value);
  return { env, skipped };
}

function envFromValues(
  from: NonNullable<Container['envFrom']>[number],
  sources: EnvironmentSources,
): Readonly<Record<string, string>> {
  if (from.configMapRef) {
    const { name = '', optional } = from.configMapRef;
    const configMap = sources.configMap(name) ?? missing('configmap', name, optional);
    return configMap?.data ?? {};
  }
  if (from.secretRef) {
    const { name = '', optional } = from.secretRef;
    const secret = sources.secret(name) ?? missing('secret', name, optional);
    return Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, decoded(value)]));
  }
  return {};
}

function valueFrom(
  pod: Pod,
  container: Container,
  { name, valueFrom: source = {} }: EnvVar,
  sources: EnvironmentSources,
): string | undefined {
  if (source.fieldRef) return fieldValue(pod, source.fieldRef.fieldPath, sources);
  if (source.resourceFieldRef) return resourceValue(pod, container, source.resourceFieldRef, sources.allocatable);
  const where = `${pod.metadata.namespace}/`;
  if (source.configMapKeyRef) {
    const { name: object = '', key, optional } = source.configMapKeyRef;
    const configMap = sources.configMap(object) ?? missing('configmap', object, optional);
    if (!configMap) return undefined;
    return configMap.data?.[key] ?? missingKey(key, 'ConfigMap', where + object, optional);
  }
  if (source.secretKeyRef) {
    const { name: object = '', key, optional } = source.secretKeyRef;
    const secret = sources.secret(object) ?? missing('secret', object, optional);
    if (!secret) return undefined;
    const value = secret.data?.[key];
    return value === undefined ? missingKey(key, 'Secret', where + object, optional) : decoded(value);
  }
  throw new ContainerConfigError(`environment variable "${name}": fileKeyRef is not supported by this node`);
}

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');

function missing(kind: string, name: string, optional: boolean | undefined): undefined {
  if (optional) return undefined;
  throw new ContainerConfigError(`${kind} "${name}" not found`);
}

function missingKey(key: string, kind: string, object: string, optional: boolean | undefined): undefined {
  if (optional) return undefined;
  throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${object}`);
}
