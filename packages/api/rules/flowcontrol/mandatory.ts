import { readFileSync } from 'node:fs';

type Plural = 'flowschemas' | 'prioritylevelconfigurations';

interface Named {
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

const mandatory = new Set(['exempt', 'catch-all']);
const specs = new Map<string, unknown>();

/** The spec of an object that every server has and nobody changes. */
export function mandatorySpec(plural: Plural, name: string | undefined): unknown {
  if (name === undefined || !mandatory.has(name)) return undefined;
  if (specs.size === 0) readSpecs();
  return specs.get(`${plural}/${name}`);
}

/** Of all that a fresh server makes these few are kept. */
function readSpecs(): void {
  const url = new URL(import.meta.resolve('@kubernode/api/facts/bootstrap-1.37.json'));
  const collections = JSON.parse(readFileSync(url, 'utf8')) as Readonly<Record<string, readonly Named[] | undefined>>;
  for (const plural of ['flowschemas', 'prioritylevelconfigurations'] satisfies Plural[]) {
    for (const { metadata, spec } of collections[`/apis/flowcontrol.apiserver.k8s.io/v1/${plural}`] ?? []) {
      if (mandatory.has(metadata.name)) specs.set(`${plural}/${metadata.name}`, spec);
    }
  }
}
