import { parseJsonExactly, table } from '@kubernode/machinery';
import { jsonSyntaxError } from '@kubernode/api';
import type { Toleration } from '@kubernode/api/core/v1';
import { unclassified } from '../refuse.ts';

/** How Go names the types of a toleration's fields. */
const types: Readonly<Record<string, string>> = table({
  key: 'string',
  operator: 'v1.TolerationOperator',
  value: 'string',
  effect: 'v1.TaintEffect',
  tolerationSeconds: 'int64',
});

/** The tolerations that an annotation holds as JSON. Throws what a client is answered, as Go's encoding/json words it. */
export function tolerationsIn(text: string): readonly Toleration[] {
  const value = parsed(text);
  if (value === null) return [];
  if (!Array.isArray(value)) throw misfit(value, 'Go value of type []v1.Toleration');
  return value.map((item: unknown) => {
    if (item === null) return {};
    if (typeof item !== 'object' || Array.isArray(item)) throw misfit(item, 'Go value of type v1.Toleration');
    const known = Object.entries(item).filter(([name, field]) => name in types && field !== null);
    for (const [name, field] of known) {
      const isNumber = name === 'tolerationSeconds';
      const fits = isNumber ? typeof field === 'bigint' || Number.isSafeInteger(field) : typeof field === 'string';
      if (!fits) throw misfit(field, `Go struct field Toleration.${name} of type ${types[name]}`, isNumber);
    }
    return Object.fromEntries(known) as Toleration;
  });
}

function parsed(text: string): unknown {
  try {
    return parseJsonExactly(text);
  } catch {
    throw unclassified(jsonSyntaxError(text));
  }
}

function misfit(value: unknown, target: string, isNumber = false): Error {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const shown = isNumber && type === 'number' ? `number ${String(value)}` : type;
  return unclassified(`json: cannot unmarshal ${shown} into ${target}`);
}
