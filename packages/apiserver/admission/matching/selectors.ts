import { StatusError } from '@kubernode/api';
import { labelSelectorMatcher, type LabelMatcher, type LabelSelectorLike } from '@kubernode/machinery';
import type { AdmissionRequest, ClusterState } from '../../seams.ts';

export interface Selectors {
  readonly namespaceSelector?: LabelSelectorLike | undefined;
  readonly objectSelector?: LabelSelectorLike | undefined;
}

/** Whether a request is in a selected namespace and about a selected object. Throws NotFound for a missing namespace. */
export type SelectorMatcher = (request: AdmissionRequest, namespace: string) => boolean;

export function selectorMatcher(state: ClusterState, selectors: Selectors): SelectorMatcher {
  const inNamespace = selecting(selectors.namespaceSelector);
  const ofObject = selecting(selectors.objectSelector);
  return (request, namespace) =>
    (!inNamespace || isInNamespace(state, inNamespace, request, namespace)) &&
    (!ofObject || isOfObject(ofObject, request));
}

/** Undefined where everything is selected. */
function selecting(selector: LabelSelectorLike | undefined): LabelMatcher | undefined {
  const isEmpty = Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions?.length ?? 0) === 0;
  return isEmpty ? undefined : labelSelectorMatcher(selector);
}

/** Cluster-scoped objects other than namespaces are in all of them. */
function isInNamespace(
  state: ClusterState,
  matcher: LabelMatcher,
  { attributes, operation, object }: AdmissionRequest,
  namespace: string,
): boolean {
  const isNamespace = attributes.resource === 'namespaces';
  if (namespace === '' && !isNamespace) return true;
  // The new labels count, but a namespace that goes has only its old ones.
  if (isNamespace && attributes.subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) {
    return matcher.matches(object?.metadata.labels);
  }
  const found = state.get('', 'namespaces', namespace);
  if (!found) throw StatusError.notFound({ group: '', plural: 'namespaces' }, namespace);
  return matcher.matches(found.metadata.labels);
}

function isOfObject(matcher: LabelMatcher, { object, oldObject }: AdmissionRequest): boolean {
  const isSelected = (one: AdmissionRequest['object']) => one?.metadata && matcher.matches(one.metadata.labels);
  return Boolean(isSelected(object) || isSelected(oldObject));
}
