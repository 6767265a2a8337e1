import { StatusError, type KindDefinition, type User } from '@kubernode/api';
import { areManagedFields } from '@kubernode/machinery';
import type { Reinvocation, ReviewedRequest } from '../../admission/matching/reviewed-request.ts';
import { reviewOf } from '../../admission/matching/review.ts';
import type { ResourceCall } from '../../context.ts';
import type { AdmissionRequest, Attributes } from '../../seams.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { stepsFor, type AdmissionSteps, type AskedPlugins } from './asked-plugins.ts';
import { dropSameOwners } from './owner-references.ts';

type Operation = AdmissionRequest['operation'];

export interface Admitted {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  /** Where the path has none: a generated name. */
  readonly name?: string | undefined;
  /** What a deletion was asked with. */
  readonly deleteOptions?: object | undefined;
}

/**
 * Runs the mutating hooks, in order, on `object` in place; once more where a webhook or policy changed what hooks before
 * it had seen. Throws what a plugin refuses with.
 */
export async function admitMutating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const plugins = pluginsFor(call, admitted, 'mutate');
  if (!plugins) return;
  const managedFields = admitted.object?.metadata?.managedFields;
  const round = new Round();
  await mutate(call, plugins, new ReviewableRequest(call, admitted, round));
  if (round.isNextWanted) await mutate(call, plugins, new ReviewableRequest(call, admitted, round.next()));
  if (admitted.object?.metadata) repair(call, admitted.object, managedFields);
}

const invalidManagedFields =
  '.metadata.managedFields was in an invalid state after admission; ' +
  'this could be caused by an outdated mutating admission controller; please fix your requests: ';

/** Takes back what admission must not do to the metadata, with a warning. */
function repair(call: ResourceCall, object: ApiObject, before: ApiObject['metadata']['managedFields']): void {
  dropSameOwners(call, object, true);
  const { managedFields } = object.metadata;
  if (managedFields === before || !managedFields || areManagedFields(managedFields)) return;
  if (before) object.metadata.managedFields = before;
  else delete object.metadata.managedFields;
  call.warnings.push(`${invalidManagedFields}an entry cannot be read`);
}

async function mutate(
  { server }: ResourceCall,
  { asked, silent }: AskedPlugins,
  request: AdmissionRequest,
): Promise<void> {
  const timer = server.metrics.admission.timer('admit', request.operation);
  let name = '';
  try {
    for (const plugin of asked) {
      ({ name } = plugin);
      const pending = plugin.mutate!(request);
      if (pending instanceof Promise) await pending;
      timer.plugin(name);
    }
    timer.end(silent);
  } catch (error) {
    timer.refused(name);
    throw error;
  }
}

/** Runs the validating hooks, in order; causes that plugins answer become one Invalid. */
export async function admitValidating(call: ResourceCall, admitted: Admitted): Promise<void> {
  const plugins = pluginsFor(call, admitted, 'validate');
  if (!plugins) return;
  showVersion(admitted);
  const request = new ReviewableRequest(call, admitted, onlyRound);
  const timer = call.server.metrics.admission.timer('validate', request.operation);
  let name = '';
  try {
    for (const plugin of plugins.asked) {
      ({ name } = plugin);
      const pending = plugin.validate!(request);
      const causes = pending instanceof Promise ? await pending : pending;
      if (causes && causes.length > 0) {
        const named = admitted.object?.metadata.name ?? call.route.attributes.name;
        throw StatusError.invalid(call.resource, named, causes);
      }
      timer.plugin(name);
    }
    timer.end(plugins.silent);
  } catch (error) {
    timer.refused(name);
    throw error;
  }
}

/**
 * Connections are only for those who look at them; the deletion of an evicted pod was admitted as its eviction. Undefined
 * where there is nobody at all.
 */
function pluginsFor(
  { server, route }: ResourceCall,
  { operation }: Admitted,
  step: keyof AdmissionSteps,
): AskedPlugins | undefined {
  const { admission } = server.security;
  if (admission.length === 0) return undefined;
  const { resource, subresource } = route.attributes;
  if (operation === 'DELETE' && subresource === 'eviction') return undefined;
  const plugins = stepsFor(admission, resource)[step];
  return operation === 'CONNECT' ? { asked: plugins.asked.filter(({ connects }) => connects), silent: [] } : plugins;
}

/** A change that names no version is of the present one. */
function showVersion({ operation, object, oldObject }: Admitted): void {
  if (operation !== 'UPDATE' || !object || !oldObject || object.kind !== oldObject.kind) return;
  const { resourceVersion } = oldObject.metadata;
  if (resourceVersion) object.metadata.resourceVersion ||= resourceVersion;
}

/** One round of the mutating hooks. */
class Round implements Reinvocation {
  isNextWanted = false;
  readonly isSecondRound: boolean;
  #memory: Map<string, unknown> | undefined;

  constructor(before?: Round) {
    this.isSecondRound = before !== undefined;
    this.#memory = before?.memory;
  }

  get memory(): Map<string, unknown> {
    return (this.#memory ??= new Map());
  }

  want(): void {
    this.isNextWanted = true;
  }

  next(): Round {
    return new Round(this);
  }
}

const onlyRound: Reinvocation = { isSecondRound: false, want() {}, memory: new Map() };

/** A request whose `review`, which most plugins never look at, is made when one does. */
class ReviewableRequest implements AdmissionRequest {
  readonly attributes: Attributes;
  readonly operation: Operation;
  readonly user: User;
  readonly definition: KindDefinition;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly annotate: AdmissionRequest['annotate'];
  readonly #call: ResourceCall;
  readonly #admitted: Admitted;
  readonly #reinvocation: Reinvocation;
  #review: ReviewedRequest | undefined;

  constructor(call: ResourceCall, admitted: Admitted, reinvocation: Reinvocation) {
    const { attributes } = call.route;
    const { name = '' } = admitted;
    this.attributes = attributes.name || !name ? attributes : { ...attributes, name };
    this.operation = admitted.operation;
    this.user = call.user;
    this.definition = call.resource.definition;
    this.object = admitted.object;
    this.oldObject = admitted.oldObject;
    this.dryRun = admitted.dryRun;
    this.annotate = call.annotate;
    this.#call = call;
    this.#admitted = admitted;
    this.#reinvocation = reinvocation;
  }

  warn(text: string): void {
    this.#call.warnings.push(text);
  }

  get review(): ReviewedRequest {
    const { operation, object, deleteOptions } = this.#admitted;
    const { name } = this.attributes;
    const reinvocation = this.#reinvocation;
    this.#review ??= reviewOf(this.#call, { operation, object, name, deleteOptions, reinvocation });
    return this.#review;
  }
}
