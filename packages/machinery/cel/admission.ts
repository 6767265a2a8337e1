import type { Environment } from './environment.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { authorizerType, resourceCheckType } from './library/authorizer.ts';
import { jsonPatchLibrary, jsonPatchType } from './library/json-patch.ts';
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelField,
  type CelObjectType,
  type CelType,
} from './types.ts';

/** Which variables an expression of admission may use, beside `request` and `namespaceObject`. */
export interface AdmissionVariables {
  /** `params`: of policies with a paramKind. */
  readonly params?: boolean | undefined;
  /** `authorizer` and `authorizer.requestResource`. */
  readonly authorizer?: boolean | undefined;
  /** `Object{}`, `JSONPatch{}` and `jsonpatch.escapeKey`: of mutations. */
  readonly patchTypes?: boolean | undefined;
  /** The types of `variables`, in policies: a policy's own by their names. An expression has those that are there then. */
  readonly variables?: ReadonlyMap<string, CelType> | undefined;
  /** Of `object` and `oldObject`, and of `params`: where a type checker knows them. */
  readonly objectType?: CelType | undefined;
  readonly paramsType?: CelType | undefined;
}

/**
 * The environment of match conditions and admission policies (apiserver, pkg/admission/plugin/cel/compile.go): objects are
 * of any type, unless they are given one.
 */
export function admissionEnvironment(options: AdmissionVariables): Environment {
  const { params, authorizer, patchTypes, variables, objectType: ofObject = dynType, paramsType = dynType } = options;
  return kubernetesEnvironment.extend({
    variables: {
      object: ofObject,
      oldObject: ofObject,
      request: requestType,
      namespaceObject: namespaceType,
      ...(params && { params: paramsType }),
      ...(authorizer && { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }),
      ...(variables && { variables: variablesType(variables) }),
    },
    ...(patchTypes && { types: [jsonPatchType], libraries: [jsonPatchLibrary], typeOf: objectNamed }),
  });
}

/** The type of `variables`: what a variable was found to be; only what schemas could say is kept. */
function variablesType(variables: ReadonlyMap<string, CelType>): CelObjectType {
  const fields = new VariableFields(variables);
  return objectType('kubernetes.variables', () => fields);
}

/** Of the one that is asked for: each variable's expression knows all before it, which may be thousands. */
class VariableFields extends Map<string, CelField> {
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(variables: ReadonlyMap<string, CelType>) {
    super();
    this.#variables = variables;
  }

  override get(name: string): CelField | undefined {
    const type = this.#variables.get(name);
    return type && { type: kept(type) };
  }

  override has(name: string): boolean {
    return this.#variables.has(name);
  }
}

/** Upstream declares variables with types of schemas, which know no others: those become dyn. */
function kept(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return listType(kept(type.element));
    case 'map':
      return mapType(kept(type.key), kept(type.value));
    case 'object':
    case 'opaque':
    case 'type':
    case 'parameter':
    case 'error':
      return dynType;
    default:
      return type;
  }
}

/** The type of an `Object` expression, and of its parts by their path: `Object.spec.containers`. Any field may be set. */
export const applyConfigurationType = objectType('Object', () => anyFields);

class AnyFields extends Map<string, CelField> {
  override get(): CelField {
    return { type: dynType };
  }
}
const anyFields = new AnyFields();

function objectNamed(name: string): CelObjectType | undefined {
  if (name === 'Object') return applyConfigurationType;
  return name.startsWith('Object.') ? objectType(name, () => anyFields) : undefined;
}

const fieldsOf = (types: Readonly<Record<string, CelType>>) => {
  const fields = new Map(Object.entries(types).map(([name, type]) => [name, { type }]));
  return () => fields;
};
const strings = listType(stringType);
const named = (name: string, types: Readonly<Record<string, CelType>>) =>
  objectType(`kubernetes.${name}`, fieldsOf(types));

const groupVersionKind = named('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const groupVersionResource = named('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const requestType = named('AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: named('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

const namespaceType = named('Namespace', {
  metadata: named('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    // Upstream's own spelling: such a field is never there.
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: named('NamespaceSpec', { finalizers: strings }),
  status: named('NamespaceStatus', {
    conditions: listType(
      named('NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});
