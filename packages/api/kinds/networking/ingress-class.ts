import { dns1123Label } from '@kubernode/machinery';
import { IngressClass, type IngressClassSpec } from '../../generated/types/networking/v1.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { domainPrefixedPath, typedReference } from '../../rules/names.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { immutable, maxBytes } from '../../rules/values.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const controllerBytesMax = 250;
const scopes = ['Cluster', 'Namespace'];

/** A name with a domain in front, `example.com/controller`. */
const controller: Rule<string> = all<string>(maxBytes(controllerBytesMax), domainPrefixedPath);

const parameters: Rule<NonNullable<IngressClassSpec['parameters']>> = (
  { apiGroup, kind, name, scope, namespace },
  path,
) => {
  const found = typedReference({ apiGroup, kind, name }, path);
  const at = `${path}.namespace`;
  if (scope === undefined) return [...found, requiredCause(`${path}.scope`)];
  if (!scopes.includes(scope)) return [...found, notSupported(`${path}.scope`, scope, scopes)];
  if (scope === 'Namespace' && namespace === undefined)
    return [...found, requiredCause(at, "`parameters.scope` is set to 'Namespace'")];
  if (scope === 'Namespace')
    return [...found, ...dns1123Label(namespace ?? '').map((detail) => invalid(at, namespace, detail))];
  return namespace === undefined ? found : [...found, forbidden(at, "`parameters.scope` is set to 'Cluster'")];
};

export const ingressClass = define(IngressClass, {
  defaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validate: validate<IngressClass>(
    fields<IngressClass>({
      spec: (spec, path) => [
        ...controller(spec.controller ?? '', `${path}.controller`),
        ...fields<IngressClassSpec>({ parameters })(spec, path),
      ],
    }),
  ),
  validateUpdate: validateUpdate<IngressClass>(
    fields<IngressClass>({ spec: fields<IngressClassSpec>({ controller: immutable }) }),
  ),
  generation: 'spec',
  rechecksName: true,
  row: (object) => {
    const target = object.spec.parameters;
    const kind = target?.apiGroup ? `${target.kind}.${target.apiGroup}` : target?.kind;
    return [
      object.metadata.name,
      object.spec.controller ?? '',
      target ? `${kind}/${target.name}` : noneCell,
      age(object),
    ];
  },
});
