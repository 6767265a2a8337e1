import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import { deepEqual } from '@kubernode/machinery';

type Shared = Pick<
  CustomResourceDefinitionVersion,
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'
>;

/** A definition as upstream validates it: what all versions say alike is said once, for all of them. */
export interface InternalForm {
  readonly shared: Shared;
  /** Without what is shared. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const names = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** Causes name the place in this form (`spec.validation`, `spec.versions[1].schema`). */
export function internalForm({ versions }: CustomResourceDefinitionSpec): InternalForm {
  const [first] = versions;
  if (!first) return { shared: {}, versions };
  const alike = names.filter((name) => versions.every((each) => deepEqual(said(each[name]), said(first[name]))));
  const without = (version: CustomResourceDefinitionVersion) => {
    const left = { ...version };
    for (const name of alike) delete left[name];
    return left;
  };
  return {
    shared: Object.fromEntries(alike.flatMap((name) => (first[name] === undefined ? [] : [[name, first[name]]]))),
    versions: versions.map(without),
  };
}

/** An empty list says as little as none. */
const said = (value: unknown) => (Array.isArray(value) && value.length === 0 ? undefined : value);
