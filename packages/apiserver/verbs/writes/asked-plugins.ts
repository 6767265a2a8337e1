import type { AdmissionPlugin } from '../../seams.ts';

/** Who is asked in one step of admission about one resource. */
export interface AskedPlugins {
  readonly asked: readonly AdmissionPlugin[];
  /** The names of those that have nothing to say of the resource. */
  readonly silent: readonly string[];
}

export interface AdmissionSteps {
  readonly mutate: AskedPlugins;
  readonly validate: AskedPlugins;
}

const known = new WeakMap<readonly AdmissionPlugin[], Map<string, AdmissionSteps>>();

/** Found once a resource: most plugins are about one or two. */
export function stepsFor(admission: readonly AdmissionPlugin[], resource: string): AdmissionSteps {
  let byResource = known.get(admission);
  if (!byResource) known.set(admission, (byResource = new Map()));
  let steps = byResource.get(resource);
  if (!steps) {
    steps = { mutate: askedIn('mutate', admission, resource), validate: askedIn('validate', admission, resource) };
    byResource.set(resource, steps);
  }
  return steps;
}

function askedIn(step: 'mutate' | 'validate', admission: readonly AdmissionPlugin[], resource: string): AskedPlugins {
  const withStep = admission.filter((plugin) => plugin[step]);
  const isAsked = ({ resources }: AdmissionPlugin) => !resources || resources.includes(resource);
  return {
    asked: withStep.filter(isAsked),
    silent: withStep.filter((plugin) => !isAsked(plugin)).map(({ name }) => name),
  };
}
