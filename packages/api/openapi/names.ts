import { table } from '@kubernode/machinery';
import { groupVersionOf, lastName } from './words.ts';

const packages: Readonly<Record<string, string>> = table({
  'meta.k8s.io': 'io.k8s.apimachinery.pkg.apis.meta',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  'internal.apiserver.k8s.io': 'io.k8s.api.apiserverinternal',
});

/** The name of a type of the facts in an OpenAPI document: `apps/v1.Deployment` → `io.k8s.api.apps.v1.Deployment`. */
export function definitionName(typeName: string): string {
  const [group = '', version = ''] = groupVersionOf(typeName).split('/');
  const prefix = packages[group] ?? `io.k8s.api.${group.split('.')[0]}`;
  return `${prefix}.${version}.${lastName(typeName)}`;
}

/** A custom resource's: `stable.example.com`, `v1`, `CronTab` → `com.example.stable.v1.CronTab`. */
export function customDefinitionName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** Scalars of the facts that are definitions of their own. */
export const scalarDefinitions = {
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  time: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  microtime: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  duration: 'io.k8s.apimachinery.pkg.apis.meta.v1.Duration',
  rawExtension: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  fieldsV1: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
} as const;
