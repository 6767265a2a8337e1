import type { KubernetesObject, Transport } from '@kubernode/api';
import { deepEqual } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import type { BootstrapFacts } from './facts.ts';
import { createOne, deleteOne, pluralOf, updateOne } from './objects.ts';
import type { PreparedObjects } from './prepared.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const base = `/apis/${group}/v1`;
/** Levels first: schemas refer to them. */
const collections = [`${base}/prioritylevelconfigurations`, `${base}/flowschemas`];
const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const asProducer = { fieldManager: 'api-priority-and-fairness-config-producer-v1' } as const;
/** They stay as they are meant, whatever they say of themselves. */
const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

type Configuration = KubernetesObject & { readonly spec?: object };

/** What is kept: the names of the objects by their collection's plural. */
export function flowControlNames(facts: BootstrapFacts): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    collections.map((path) => [pluralOf(path), new Set((facts[path] ?? []).map((each) => each.metadata.name))]),
  );
}

/**
 * Makes the suggested and the mandatory configuration of flow control, and puts the spec of those back that the cluster's
 * operators did not take over (`autoupdate-spec`, KEP-1040). What an older release suggested, and nobody took, goes.
 */
export async function ensureFlowControl(
  state: ClusterState,
  transport: Transport,
  facts: BootstrapFacts,
  prepared: PreparedObjects,
): Promise<void> {
  for (const path of collections) {
    const wanted = facts[path] ?? [];
    const lacking = wanted.filter(({ metadata }) => !prepared.has(path, metadata));
    await Promise.all(lacking.map((object) => ensureOne(state, transport, path, object as Configuration)));
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    const left = state
      .list(group, pluralOf(path))
      .filter(({ metadata }) => metadata.annotations?.[autoUpdate] === 'true' && !names.has(metadata.name));
    await Promise.all(left.map((object) => deleteOne(transport, path, object)));
  }
}

async function ensureOne(state: ClusterState, transport: Transport, path: string, wanted: Configuration) {
  const known = state.get(group, pluralOf(path), wanted.metadata.name) as Configuration | undefined;
  if (!known) return createOne(transport, path, wanted, asProducer);
  const { annotations, generation } = known.metadata;
  const said = annotations?.[autoUpdate];
  // Who does not say so has it as long as nobody changed it.
  const isOurs = mandatory.has(wanted.metadata.name) || (said === undefined ? generation === 1 : said === 'true');
  const annotated = { ...annotations, [autoUpdate]: String(isOurs) };
  const spec = isOurs ? wanted.spec : known.spec;
  if (said === String(isOurs) && contains(known.spec, spec)) return;
  const metadata = { ...known.metadata, annotations: annotated };
  await updateOne(transport, path, { ...known, metadata, spec } as Configuration, asProducer);
}

/** The stored spec has defaults that the facts do not name. */
function contains(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const items = stored as readonly unknown[] | undefined;
    return items?.length === wanted.length && wanted.every((each, index) => contains(items[index], each));
  }
  if (typeof wanted !== 'object' || wanted === null) return deepEqual(stored, wanted);
  const fields = stored as Readonly<Record<string, unknown>> | undefined;
  return Object.entries(wanted).every(([key, value]) => contains(fields?.[key], value));
}
