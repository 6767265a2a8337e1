import type { Taint, Toleration } from '@kubernode/api/core/v1';
import { toleratesTaint } from '../shared/tolerations.ts';

/** How long a pod stays on a node with these NoExecute taints: 0 is not at all, undefined for ever. */
export function stayMs(taints: readonly Taint[], tolerations: readonly Toleration[] = []): number | undefined {
  const using = tolerations.filter((toleration) => taints.some((taint) => toleratesTaint(toleration, taint)));
  if (!taints.every((taint) => using.some((toleration) => toleratesTaint(toleration, taint)))) return 0;
  const limits = using.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Number(tolerationSeconds)],
  );
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits)) * 1000;
}
