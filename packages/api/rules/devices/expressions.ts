import {
  boolType,
  CelCompileError,
  type CelField,
  type CelType,
  compileProgram,
  dynType,
  type Environment,
  formatType,
  kubernetesEnvironment,
  mapType,
  objectType,
  type Program,
  quantityType,
  stringType,
} from '@kubernode/machinery/cel';
import type { DeviceSelector } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, required, tooLong } from '../cause.ts';

const expressionBytesMax = 10 * 1024;
const costMax = 1_000_000;

const sized = (type: CelType, sizeMax: number): CelType => ({ ...type, sizeMax });
/** At most so many attributes, domains or capacities are in a device. */
const byName = (key: number, value: CelType) => sized(mapType(sized(stringType, key), value), 32);
const attributeType = sized(dynType, 64);

const deviceFields = new Map<string, CelField>([
  ['driver', { type: sized(stringType, 63) }],
  ['attributes', { type: byName(63, byName(32, attributeType)) }],
  ['capacity', { type: byName(63, byName(32, quantityType)) }],
  ['allowMultipleAllocations', { type: sized(boolType, 1) }],
]);

let environment: Environment | undefined;

/** What selectors of devices may name: `device`. */
function deviceEnvironment(): Environment {
  environment ??= kubernetesEnvironment.extend({
    variables: { device: objectType('kubernetes.DRADevice', () => deviceFields) },
    bindings: true,
  });
  return environment;
}

/** A selector is a sound expression that comes to a bool and cannot cost too much. */
export function selectorCauses(selector: DeviceSelector, path: string): readonly FieldCause[] {
  if (!selector.cel) return [required(`${path}.cel`)];
  return expressionCauses(selector.cel.expression, `${path}.cel.expression`, selectorType).causes;
}

function selectorType(type: CelType): string | undefined {
  if (type.kind === 'bool' || type.kind === 'dyn') return undefined;
  return `must evaluate to bool or the unknown type, not ${formatType(type)}`;
}

const scalars = new Set(['string', 'int', 'bool', 'dyn', 'kubernetes.Semver']);

/** What derives an attribute comes to one value. */
export function derivedType(type: CelType): string | undefined {
  const name = formatType(type);
  if (scalars.has(name)) return undefined;
  return `must evaluate to a primitive scalar (string, integer, boolean, semver), not ${name}`;
}

/** Compiles an expression about a device; `wrongType` says what is wrong with the type that it comes to. */
export function expressionCauses(
  text: string,
  path: string,
  wrongType: (type: CelType) => string | undefined,
): { readonly causes: readonly FieldCause[]; readonly cost: number } {
  const refused = (cause: FieldCause) => ({ causes: [cause], cost: 0 });
  if (Buffer.byteLength(text) > expressionBytesMax) return refused(tooLong(path, expressionBytesMax));
  let program: Program;
  try {
    program = compileProgram(text, deviceEnvironment());
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return refused(invalid(path, text, `compilation failed: ${error.message}`));
  }
  const wrong = wrongType(program.type);
  if (wrong !== undefined) return refused(invalid(path, text, wrong));
  const cost = program.estimateCost().max;
  const causes = cost > costMax ? [forbidden(path, 'too complex, exceeds cost limit')] : [];
  return { causes, cost };
}

export const derivedCostMax = costMax;
