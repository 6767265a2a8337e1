import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceDerivedAttribute,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required } from '../cause.ts';
import { configuration } from './configuration.ts';
import { derivedCostMax, derivedType, expressionCauses, selectorCauses } from './expressions.ts';
import { nodeName, shortName, valueOfLabel } from './names.ts';
import { RequestNames } from './request-names.ts';

/** Beyond that the facts' markers say it, and items are not looked at. */
const itemsMax = 32;
const alternativesMax = 8;

export const upTo = <T>(max: number, list: readonly T[] | undefined): readonly T[] =>
  list && list.length <= max ? list : [];

/** What a claim asks for (validateDeviceClaim); markers say sizes, repetitions, enums and most formats. */
export function deviceClaim(claim: DeviceClaim, path: string): readonly FieldCause[] {
  const names = new RequestNames(claim.requests);
  const derived = new DerivedAttributes(claim.constraints ?? []);
  const found: FieldCause[] = [];
  upTo(itemsMax, claim.requests).forEach((request, index) =>
    found.push(...requestCauses(request, `${path}.requests[${index}]`, derived)),
  );
  upTo(itemsMax, claim.constraints).forEach((constraint, index) =>
    found.push(...constraintCauses(constraint, `${path}.constraints[${index}]`, names)),
  );
  upTo(itemsMax, claim.config).forEach((config, index) => {
    const at = `${path}.config[${index}]`;
    found.push(...names.references(upTo(itemsMax, config.requests), `${at}.requests`));
    found.push(...configuration(config, at, false));
  });
  if (derived.cost > derivedCostMax) {
    const detail = 'too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit';
    found.push(forbidden(path, detail));
  }
  return found;
}

/** One class exactly, or the first of several that is there. */
function requestCauses(request: DeviceRequest, path: string, derived: DerivedAttributes): readonly FieldCause[] {
  const { name, exactly, firstAvailable } = request;
  const found = [...shortName(name, `${path}.name`)];
  const hasAlternatives = (firstAvailable ?? []).length > 0;
  if (!hasAlternatives && !exactly)
    return [...found, required(path, 'exactly one of `exactly` or `firstAvailable` is required')];
  if (hasAlternatives && exactly) {
    const detail = 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set';
    return [...found, invalid(path, null, detail)];
  }
  if (exactly) return [...found, ...exactCauses(exactly, `${path}.exactly`, derived, name)];
  upTo(alternativesMax, firstAvailable).forEach((one, index) => {
    const at = `${path}.firstAvailable[${index}]`;
    found.push(...shortName(one.name, `${at}.name`), ...commonCauses(one, at, derived, `${name}/${one.name}`));
  });
  return found;
}

function exactCauses(request: ExactDeviceRequest, path: string, derived: DerivedAttributes, name: string) {
  const { deviceClassName: className } = request;
  const at = `${path}.deviceClassName`;
  return [...(className ? nodeName(className, at) : [required(at)]), ...commonCauses(request, path, derived, name)];
}

function commonCauses(
  request: ExactDeviceRequest | DeviceSubRequest,
  path: string,
  derived: DerivedAttributes,
  name: string,
): readonly FieldCause[] {
  return [
    ...selectors(request.selectors, `${path}.selectors`),
    ...derived.causes(request.derivedAttributes ?? [], `${path}.derivedAttributes`, name),
    ...counted(request, path),
    ...(request.tolerations ?? []).flatMap((one, index) => toleration(one, `${path}.tolerations[${index}]`)),
  ];
}

export const selectors = (list: readonly DeviceSelector[] | undefined, path: string) =>
  upTo(itemsMax, list).flatMap((one, index) => selectorCauses(one, `${path}[${index}]`));

function counted({ allocationMode, count = 0 }: ExactDeviceRequest | DeviceSubRequest, path: string): FieldCause[] {
  const at = `${path}.count`;
  if (!allocationMode) return [notSupported(`${path}.allocationMode`, '', ['All', 'ExactCount'])];
  if (allocationMode === 'All' && count !== 0)
    return [invalid(at, count, "must not be specified when allocationMode is 'All'")];
  return allocationMode === 'ExactCount' && count <= 0 ? [invalid(at, count, 'must be greater than zero')] : [];
}

export function toleration({ operator, value = '' }: DeviceToleration, path: string): readonly FieldCause[] {
  const at = `${path}.value`;
  if (operator === 'Exists') return value ? [invalid(at, value, 'must be empty for operator `Exists`')] : [];
  if (operator === 'Equal') return valueOfLabel(value, at);
  return operator ? [] : [required(`${path}.operator`)];
}

function constraintCauses(constraint: DeviceConstraint, path: string, names: RequestNames): readonly FieldCause[] {
  const found = names.references(upTo(itemsMax, constraint.requests), `${path}.requests`);
  if (constraint.matchAttribute !== undefined || constraint.distinctAttribute !== undefined) return found;
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...found, required(path, detail)];
}

/** Attributes that expressions derive: only those that a constraint compares, at a cost that counts for the claim. */
class DerivedAttributes {
  cost = 0;
  readonly #compared = new Map<string, Set<string>>();

  constructor(constraints: readonly DeviceConstraint[]) {
    for (const { requests = [], matchAttribute, distinctAttribute } of constraints) {
      const attribute = matchAttribute ?? distinctAttribute;
      if (attribute === undefined) continue;
      for (const request of requests.length > 0 ? requests : ['']) {
        const attributes = this.#compared.get(request) ?? new Set();
        this.#compared.set(request, attributes.add(attribute));
      }
    }
  }

  causes(list: readonly DeviceDerivedAttribute[], path: string, request: string): readonly FieldCause[] {
    return list.flatMap(({ name, expression }, index) => {
      const at = `${path}[${index}]`;
      const found: FieldCause[] = [];
      if (name && !this.#isCompared(name, request)) {
        const detail =
          'must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request';
        found.push(invalid(`${at}.name`, name, detail));
      }
      if (!expression) return found;
      const { causes, cost } = expressionCauses(expression, `${at}.expression`, derivedType);
      this.cost += cost;
      return [...found, ...causes];
    });
  }

  #isCompared(attribute: string, request: string): boolean {
    const targets = ['', request, request.split('/')[0] ?? ''];
    return targets.some((target) => this.#compared.get(target)?.has(attribute));
  }
}
