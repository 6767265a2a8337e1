import { plugin, refuseForGood } from '../framework.ts';
import { matchesNodeAffinity, matchesTerm } from '../node-selector.ts';
import { normalize } from '../scores.ts';
import { nodeChanged } from './node-plugins.ts';

export const nodeAffinity = plugin({
  name: 'NodeAffinity',
  weight: 2,
  requeueOn: nodeChanged(({ metadata }) => metadata.labels),
  /** Daemon set pods name their one node: trying the others would be waste. */
  onlyNodes({ pod }) {
    const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    if (!terms?.length) return undefined;
    const names = terms.map(({ matchFields = [] }) =>
      matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In'),
    );
    return names.every((field) => field !== undefined) ? names.flatMap(({ values = [] }) => values) : undefined;
  },
  filter: ({ pod }, node) =>
    matchesNodeAffinity(pod, node) ? undefined : refuseForGood("node(s) didn't match Pod's node affinity/selector"),
  score({ pod }, nodes) {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred?.length) return undefined;
    const matching = nodes.map((node) => preferred.filter(({ preference }) => matchesTerm(preference, node)));
    return normalize(matching.map((terms) => terms.reduce((sum, { weight }) => sum + weight, 0)));
  },
});
