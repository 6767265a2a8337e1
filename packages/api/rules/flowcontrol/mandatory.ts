import facts from '../../facts/bootstrap-1.37.json' with { type: 'json' };

type Plural = 'flowschemas' | 'prioritylevelconfigurations';

interface Named {
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

const mandatory = new Set(['exempt', 'catch-all']);
const collections = facts as Readonly<Record<string, readonly Named[] | undefined>>;

/** The spec of an object that every server has and nobody changes. */
export function mandatorySpec(plural: Plural, name: string | undefined): unknown {
  if (name === undefined || !mandatory.has(name)) return undefined;
  return collections[`/apis/flowcontrol.apiserver.k8s.io/v1/${plural}`]?.find(({ metadata }) => metadata.name === name)
    ?.spec;
}
