import { Environment } from './environment.ts';
import { authorizerLibrary } from './library/authorizer.ts';
import { conversionsLibrary } from './library/conversions.ts';
import { formatLibrary } from './library/format.ts';
import { listsLibrary } from './library/lists.ts';
import { networkLibrary } from './library/network.ts';
import { optionalLibrary } from './library/optional.ts';
import { quantityLibrary } from './library/quantity.ts';
import { regexLibrary } from './library/regex.ts';
import { semverLibrary } from './library/semver.ts';
import { setsLibrary } from './library/sets.ts';
import { standardLibrary } from './library/standard.ts';
import { stringsLibrary } from './library/strings.ts';
import { timeLibrary } from './library/time.ts';
import { urlLibrary } from './library/url.ts';

/**
 * The libraries that new expressions may use in Kubernetes v1.37: those of v1.36, so that a rollback can read them
 * (apiserver, pkg/cel/environment/base.go).
 */
export const kubernetesLibraries = [
  standardLibrary,
  conversionsLibrary,
  timeLibrary,
  optionalLibrary,
  regexLibrary,
  stringsLibrary,
  setsLibrary,
  listsLibrary,
  urlLibrary,
  quantityLibrary,
  networkLibrary,
  formatLibrary,
  semverLibrary,
  authorizerLibrary,
] as const;

/** The environment of Kubernetes v1.37 without variables: `extend` it with those that a place has. */
export const kubernetesEnvironment = new Environment({ libraries: kubernetesLibraries });
