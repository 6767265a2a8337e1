import { plugin, refuseForGood, scoreMax } from '../framework.ts';
import { tolerates } from '../tolerations.ts';
import { normalize } from '../scores.ts';
import { nodeChanged } from './node-plugins.ts';

export const taintToleration = plugin({
  name: 'TaintToleration',
  weight: 3,
  requeueOn: nodeChanged(({ spec }) => spec.taints),
  filter({ pod }, { node }) {
    const hard = (node.spec.taints ?? []).filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
    const untolerated = hard.some((taint) => !tolerates(pod.spec.tolerations, taint));
    return untolerated ? refuseForGood('node(s) had untolerated taint(s)') : undefined;
  },
  /** The fewer soft taints that the pod does not tolerate, the better. */
  score({ pod }, nodes) {
    const disliked = nodes.map(({ node }) => {
      const soft = (node.spec.taints ?? []).filter(({ effect }) => effect === 'PreferNoSchedule');
      return soft.filter((taint) => !tolerates(pod.spec.tolerations, taint)).length;
    });
    return normalize(disliked).map((score) => scoreMax - score);
  },
});
