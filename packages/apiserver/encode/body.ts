import { decodeValue } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import type { ApiObject } from '../storage/encoding.ts';

export function decodeYamlBody(bytes: Buffer, shape: ObjectShape, validation: 'Strict' | 'Warn' | 'Ignore') {
  return decodeValue<ApiObject>(JSON.parse(bytes.toString('utf8')), shape, { validation });
}

export function decodeProtobufBody(bytes: Buffer, shape: ObjectShape): ApiObject {
  return decodeValue<ApiObject>(JSON.parse(bytes.toString('utf8')), shape).object;
}
