import { CriError } from './error.ts';
import { type FieldLayout, layoutOf } from './layout.ts';
import { type Cri, type CriCallOptions, type CriImplementation, criMethods } from './methods.ts';
import type { CriInit, CriMessage, MessageName } from './types.ts';

type Values = Record<string, unknown>;

/** Fills what was left out with zero values, deeply; lists, maps and messages are copied. */
export function completeMessage<Name extends MessageName>(name: Name, init: CriInit<Name>): CriMessage<Name> {
  return complete(name, init as Values) as CriMessage<Name>;
}

function complete(name: MessageName, init: Values): Values {
  const full: Values = {};
  for (const field of layoutOf(name).fields) {
    const value = init[field.name];
    if (field.cardinality === 'map') full[field.name] = { ...(value as Values | undefined) };
    else if (field.cardinality === 'repeated') full[field.name] = completeList(field, value as unknown[] | undefined);
    else if (field.message) {
      if (value !== undefined && value !== null) full[field.name] = complete(field.message, value as Values);
    } else full[field.name] = value ?? zeroOf(field);
  }
  return full;
}

function completeList(field: FieldLayout, values: readonly unknown[] = []): unknown[] {
  const { message } = field;
  return message ? values.map((value) => complete(message, value as Values)) : [...values];
}

/** The value of a scalar or enumeration that is not set (proto3). */
function zeroOf(field: FieldLayout): unknown {
  if (field.values) return field.values[0];
  if (field.type === 'string') return '';
  if (field.type === 'bool') return false;
  return field.type === 'bytes' ? new Uint8Array() : 0;
}

/** The `Cri` of an implementation: completes requests and responses, and turns every failure into a `CriError`. */
export function completeCri(implementation: CriImplementation): Cri {
  const cri: Record<string, unknown> = {};
  for (const [name, fact] of Object.entries(criMethods)) {
    const call = implementation[name as keyof Cri].bind(implementation) as (
      request: unknown,
      options?: CriCallOptions,
    ) => unknown;
    const begin = (request: CriInit<MessageName>, options?: CriCallOptions) =>
      call(completeMessage(fact.request, request), options);
    cri[name] = fact.stream
      ? (request: CriInit<MessageName>, options?: CriCallOptions) =>
          completeStream(fact.response, begin(request, options) as AsyncIterable<CriInit<MessageName>>)
      : async (request: CriInit<MessageName>, options?: CriCallOptions) => {
          try {
            return completeMessage(fact.response, (await begin(request, options)) as CriInit<typeof fact.response>);
          } catch (error) {
            throw CriError.from(error);
          }
        };
  }
  return cri as Cri;
}

async function* completeStream(
  name: MessageName,
  source: AsyncIterable<CriInit<MessageName>>,
): AsyncGenerator<CriMessage<MessageName>> {
  try {
    for await (const item of source) yield completeMessage(name, item);
  } catch (error) {
    throw CriError.from(error);
  }
}
