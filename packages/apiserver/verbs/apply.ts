import { StatusError } from '@kubernode/api';
import type { ResourceCall, ServerResponseOf } from '../context.ts';
import type { OutputFormat } from '../encode/negotiate.ts';
import type { ApiObject } from '../storage/encoding.ts';
import type { WriteOptions } from './options.ts';

export interface ApplyRequest {
  readonly subresource: string;
  readonly restrict: ((object: ApiObject, current: ApiObject) => void) | undefined;
  readonly options: WriteOptions;
  readonly format: OutputFormat;
}

/** Server-side apply: creates or changes, tracking who owns which field. Throws Conflict with the fields of others. */
export async function applyPatch(_call: ResourceCall, _apply: ApplyRequest): ServerResponseOf {
  throw StatusError.of('UnsupportedMediaType', 'server-side apply is not served yet');
}
