import type { KubernetesObject } from '@kubernode/api';
import { labelSelectorMatcher, type LabelSelectorLike } from '@kubernode/machinery';
import type { KindReader, ObjectReader } from '../matching/reviewed-request.ts';

/** What a policy may read beside the request: objects of its paramKind. */
export interface ParamKind {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

export interface ParamRef {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly selector?: LabelSelectorLike | undefined;
  readonly parameterNotFoundAction?: string | undefined;
}

/**
 * The params of a binding for a request in `namespace`: one undefined where the policy has none, or the binding does not
 * use them; none where they are missing and that is allowed. Throws Error with upstream's wording for what cannot be.
 */
export function collectParams(
  reader: ObjectReader,
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): readonly (KubernetesObject | undefined)[] {
  if (!kind || !ref) return [undefined];
  const { apiVersion = '', kind: name = '' } = kind;
  const params = reader.find(apiVersion, name);
  if (!params) throw new Error(`paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${name},}\` not known`);
  const found = matching(params, ref, namespace);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function matching(params: KindReader, ref: ParamRef, requested: string): readonly KubernetesObject[] {
  if (!params.namespaced && ref.namespace) {
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = params.namespaced ? ref.namespace || requested : '';
  if (params.namespaced && namespace === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  if (ref.name) {
    const found = params.get(ref.name, namespace);
    return found ? [found] : [];
  }
  if (!ref.selector) throw new Error('one of name or selector must be provided');
  const matcher = labelSelectorMatcher(ref.selector);
  return params.list(namespace).filter(({ metadata }) => matcher.matches(metadata.labels));
}
