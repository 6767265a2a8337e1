import {
  authorizerType,
  boolType,
  type CelField,
  type CelObjectType,
  type CelType,
  dynType,
  type Environment,
  intType,
  jsonPatchType,
  kubernetesEnvironment,
  listType,
  mapType,
  objectType,
  resourceCheckType,
  stringType,
  timestampType,
} from '@kubernode/machinery/cel';

/** What the expressions of admission may name beyond `object`, `oldObject`, `request` and `namespaceObject`. */
export interface AdmissionNames {
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** `Object{…}` and `JSONPatch{…}`, of which mutations are made. */
  readonly hasPatchTypes?: boolean;
  /** The types of `variables`, by name; absent where there are none. May grow while expressions are compiled. */
  readonly variables?: ReadonlyMap<string, CelField>;
}

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelObjectType => {
  const byName = new Map(Object.entries(fields).map(([field, type]) => [field, { type }]));
  return objectType(`kubernetes.${name}`, () => byName);
};

const strings = listType(stringType);
const texts = mapType(stringType, stringType);
const kindName = object('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resourceName = object('GroupVersionResource', { group: stringType, version: stringType, resource: stringType });

/** admission/v1 AdmissionRequest without its objects. */
const requestType = object('AdmissionRequest', {
  kind: kindName,
  resource: resourceName,
  subResource: stringType,
  requestKind: kindName,
  requestResource: resourceName,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: object('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

const condition = object('NamespaceCondition', {
  status: stringType,
  type: stringType,
  lastTransitionTime: timestampType,
  message: stringType,
  reason: stringType,
});

/** A Namespace without managed fields and owners. */
const namespaceType = object('Namespace', {
  metadata: object('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: texts,
    annotations: texts,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: object('NamespaceSpec', { finalizers: strings }),
  status: object('NamespaceStatus', { conditions: listType(condition), phase: stringType }),
});

class AnyFields extends Map<string, CelField> {
  override get(): CelField {
    return { type: dynType };
  }

  override has(): boolean {
    return true;
  }
}

const anyFields = new AnyFields();

/** The type of an object to apply: `Object`, `Object.spec`, …: any field, of any type. */
export const applyConfigurationType = objectType('Object', () => anyFields);

function patchType(name: string): CelObjectType | undefined {
  if (name === 'JSONPatch') return jsonPatchType;
  return name === 'Object' || name.startsWith('Object.') ? objectType(name, () => anyFields) : undefined;
}

/** The environment of an expression of admission: match conditions, validations, variables, mutations. */
export function admissionEnvironment(names: AdmissionNames): Environment {
  const { hasParams, hasAuthorizer, hasPatchTypes, variables } = names;
  return kubernetesEnvironment.extend({
    variables: {
      object: dynType,
      oldObject: dynType,
      namespaceObject: namespaceType,
      request: requestType,
      ...(hasParams && { params: dynType }),
      ...(hasAuthorizer && { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }),
      ...(variables && { variables: objectType('kubernetes.variables', () => variables) }),
    },
    ...(hasPatchTypes && { typeOf: patchType }),
  });
}
