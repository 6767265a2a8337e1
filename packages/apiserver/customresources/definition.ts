import { StatusError, type KindDefinition, type KubernetesObject } from '@kubernode/api';
import type { CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import { counted } from './causes.ts';
import { defaultCharactersMax, defaulted } from './objects/defaults.ts';
import { finalizerWarnings } from './objects/finalizer-warnings.ts';
import { validatorOf, type Judges } from './objects/validate.ts';
import { scaleCauses } from './objects/scale-rules.ts';
import { parseJsonPath } from './json-path.ts';
import type { Schema } from './schema.ts';

type Custom = KubernetesObject & { [field: string]: unknown };

/** What a kind's own file says, said by a CRD. */
export function customDefinition(
  kind: KindDefinition['kind'],
  { subresources, selectableFields = [] }: CustomResourceDefinitionVersion,
  schema: Schema,
  isEnding: boolean,
  ratcheted: WeakMap<object, readonly string[]>,
): KindDefinition {
  const { status, scale } = subresources ?? {};
  // Schemas may be large: what judges by them is made when the first object comes.
  let judges: Judges | undefined;
  const judge = (part: 'object' | 'status', object: Custom, old: Custom | undefined) => {
    const warnings: string[] = [];
    judges ??= validatorOf(schema);
    const found = judges[part](object, old, warnings);
    if (warnings.length > 0) ratcheted.set(object, warnings);
    return counted(scale ? [...found, ...scaleCauses(object, scale, part)] : found);
  };
  return {
    kind,
    defaults: (object) => {
      const filled = defaulted(object as Custom, schema, defaultCharactersMax);
      Object.assign(object, withoutLost(object as Custom, filled));
    },
    validateCreate: (object) => judge('object', object as Custom, undefined),
    validateUpdate: (object, old) => judge('object', object as Custom, old as Custom),
    validateStatusUpdate: (object, old) => judge('status', object as Custom, old as Custom),
    warnings: finalizerWarnings,
    prepareForCreate: (object) => {
      if (isEnding) {
        const why = 'create not allowed while custom resource definition is terminating';
        throw StatusError.forbidden(kind, object.metadata.name, why);
      }
      if (status) delete (object as Custom)['status'];
    },
    prepareForStatusUpdate: (object, old) => {
      const { managedFields } = object.metadata;
      const { resourceVersion } = object.metadata;
      object.metadata = { ...old.metadata };
      if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
      if (managedFields) object.metadata.managedFields = managedFields;
      else delete object.metadata.managedFields;
    },
    ...(scale
      ? {
          scale: {
            specReplicas: scale.specReplicasPath.slice(1),
            statusReplicas: scale.statusReplicasPath.slice(1),
            ...(scale.labelSelectorPath ? { selector: scale.labelSelectorPath.slice(1) } : {}),
          },
        }
      : {}),
    selectableFields: Object.fromEntries(
      selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), selectable(jsonPath)]),
    ),
    generation: 'all',
    unconditionalUpdate: false,
  };
}

/** Fields that defaulting took away (nulls) go from the object, too. */
function withoutLost(object: Custom, result: Custom): Custom {
  if (result !== object) for (const key of Object.keys(object)) if (!Object.hasOwn(result, key)) delete object[key];
  return result;
}

function selectable(jsonPath: string): (object: KubernetesObject) => string {
  const find = parseJsonPath(jsonPath);
  return (object) => {
    const [value] = find(object);
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : '';
  };
}
