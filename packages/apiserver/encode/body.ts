import { decodeCbor, DecodeError, decodeProtobuf, decodeValue, decodeYaml } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import type { ApiObject } from '../storage/encoding.ts';

const protobufMagicLength = 4;

type Validation = 'Strict' | 'Warn' | 'Ignore';

/** Throws DecodeError. */
export function decodeYamlBody(bytes: Buffer, shape: ObjectShape, validation: Validation) {
  const { value, strictErrors } = decodeYaml(bytes);
  const decoded = decodeValue<ApiObject>(value, shape, { validation });
  if (validation === 'Ignore' || strictErrors.length === 0) return decoded;
  return { object: decoded.object, strictErrors: [...strictErrors, ...decoded.strictErrors] };
}

/** Throws DecodeError, also for keys that are repeated: CBOR knows no such map. */
export function decodeCborBody(bytes: Buffer, shape: ObjectShape, validation: Validation) {
  return decodeValue<ApiObject>(decodeCbor(bytes), shape, { validation });
}

/** Kind and apiVersion come from the envelope. Throws DecodeError. */
export function decodeProtobufBody(bytes: Buffer, shape: ObjectShape): ApiObject {
  if (bytes.length === protobufMagicLength) throw new DecodeError('empty body');
  return decodeProtobuf<ApiObject>(bytes, shape).object;
}
