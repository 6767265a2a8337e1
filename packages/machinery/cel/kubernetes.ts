import { Environment } from './environment.ts';
import { conversionsLibrary } from './library/conversions.ts';
import { optionalLibrary } from './library/optional.ts';
import { standardLibrary } from './library/standard.ts';
import { timeLibrary } from './library/time.ts';

/** The libraries of the CEL specification itself. */
export const specificationLibraries = [standardLibrary, conversionsLibrary, timeLibrary, optionalLibrary] as const;

/** The environment of Kubernetes v1.37 without variables: `extend` it with those that a place has. */
export const kubernetesEnvironment = new Environment({ libraries: specificationLibraries });
