import type { StatusError, User } from '@kubernode/api';
import type { Attributes, Authorizer, Impersonator } from '../../seams.ts';
import {
  anonymous,
  authenticatedGroup,
  serviceAccountGroups,
  serviceAccountOf,
  unauthenticatedGroup,
} from '../groups.ts';
import { refusalOf } from './checks.ts';
import { impersonationMetrics, type ImpersonationMetrics } from './metrics.ts';
import { allModes, asSeenBy, legacyModes, nodeOfName, type Mode } from './modes.ts';
import { wantedUser, type Wanted } from './wanted.ts';
import type { MetricsRegistry } from '../../metrics/registry.ts';
import { BoundedMap, type Clock } from '@kubernode/machinery';

/** How many users' last successful mode, and impersonated users, are remembered. */
const rememberedMax = 10_000;

export interface ImpersonatorOptions {
  readonly authorize: Authorizer;
  /** The gate ConstrainedImpersonation (KEP-5284), default true. */
  readonly isConstrained?: boolean | undefined;
  readonly metrics?: MetricsRegistry | undefined;
  readonly clock: Clock;
}

const constraints = new WeakMap<User, string>();

/** The verb by which constrained impersonation let somebody be this user, for audit; '' for all others. */
export const impersonationConstraintOf = (user: User): string => constraints.get(user) ?? '';

/**
 * Impersonation, constrained or by the old verb. The mode that last succeeded for a user is tried first; when all
 * refuse, the answer is the first refusal. The same user is answered for the same wish: decisions are cached by it.
 */
export function createImpersonator(options: ImpersonatorOptions): Impersonator {
  const isConstrained = options.isConstrained ?? true;
  const metrics = options.metrics && impersonationMetrics(options.metrics, options.clock);
  const attempt = new Attempts(isConstrained ? allModes : legacyModes, options.authorize, metrics);
  return (user, credentials, attributes) => {
    const wanted = wantedUser(credentials, isConstrained);
    return wanted ? attempt.become(wanted, user, attributes) : user;
  };
}

class Attempts {
  readonly #modes: readonly Mode[];
  readonly #authorize: Authorizer;
  readonly #metrics: ImpersonationMetrics | undefined;
  readonly #lastModes = new BoundedMap<string, Mode>(rememberedMax);
  readonly #users = new BoundedMap<string, User>(rememberedMax);

  constructor(modes: readonly Mode[], authorize: Authorizer, metrics: ImpersonationMetrics | undefined) {
    this.#modes = modes;
    this.#metrics = metrics;
    this.#authorize = authorize;
  }

  async become(wanted: Wanted, user: User, request: Attributes): Promise<User> {
    const done = this.#metrics?.attempt();
    let refusal: StatusError | undefined;
    for (const mode of this.#order(user)) {
      if (!mode.fits(wanted, user)) continue;
      const authorize = this.#metrics?.counted(mode, this.#authorize) ?? this.#authorize;
      const refused = await refusalOf(authorize, { mode, user: asSeenBy(mode, user), wanted, request });
      if (!refused) {
        this.#lastModes.set(user.name, mode);
        done?.(mode.name, 'allowed');
        return this.#user(mode, wanted);
      }
      refusal ??= refused;
    }
    done?.('', 'denied');
    throw refusal!;
  }

  #order(user: User): readonly Mode[] {
    const last = this.#lastModes.get(user.name);
    return last ? [last, ...this.#modes.filter((mode) => mode !== last)] : this.#modes;
  }

  #user(mode: Mode, wanted: Wanted): User {
    const key = JSON.stringify([mode.name, wanted]);
    const known = this.#users.get(key);
    if (known) return known;
    const user = actingUser(mode, wanted);
    if (mode.isConstrained) constraints.set(user, mode.verb);
    this.#users.set(key, user);
    return user;
  }
}

function actingUser(mode: Mode, { name, uid, groups: wanted, extra }: Wanted): User {
  const account = serviceAccountOf(name);
  const isNode = mode.isConstrained && nodeOfName(name) !== undefined;
  const given = isNode ? ['system:nodes'] : wanted;
  const groups = given.length === 0 && account ? serviceAccountGroups(account.namespace) : [...given];
  const own = name === anonymous.name ? unauthenticatedGroup : authenticatedGroup;
  if (!groups.includes(own) && !groups.includes(unauthenticatedGroup)) groups.push(own);
  return Object.freeze({
    name,
    groups,
    ...(uid && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  });
}
