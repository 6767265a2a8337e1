import type { Call, ResourceCall } from '../context.ts';
import { isPretty, negotiate, type Encoding, type OutputFormat } from '../encode/negotiate.ts';
import type { ServerResponse } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { hasStatusTable } from './strategies.ts';

/** Custom objects have no protobuf form; their metadata do. */
const customEncodings: readonly Encoding[] = ['json', 'yaml', 'cbor'];

/** The format of a resource's answer. Throws NotAcceptable: asked before anything is done. */
export function formatOf(call: Call): OutputFormat {
  const { query, headers } = call.request;
  const only = (call as Partial<ResourceCall>).resource?.custom ? customEncodings : undefined;
  const cbor = call.server.servesCbor;
  const served = only?.filter((encoding) => cbor || encoding !== 'cbor');
  const negotiated = negotiate(acceptOf(call), { transforms: true, cbor, ...(served ? { only: served } : {}) });
  return { ...negotiated, pretty: isPretty(query, headers['user-agent'], headers['accept']) };
}

/** What is accepted, but for tables where there is none. */
function acceptOf(call: Call): string | undefined {
  const { accept } = call.request.headers;
  const { resource } = call as Partial<ResourceCall>;
  if (!resource || !accept?.includes('as=Table') || call.route.attributes.subresource !== 'status') return accept;
  if (hasStatusTable(resource)) return accept;
  return accept
    .split(',')
    .map((form) => (form.includes('as=Table') ? 'text/x-table' : form))
    .join(',');
}

/** The format of a watch's events, which YAML cannot carry. */
export function streamFormatOf(call: ResourceCall): OutputFormat {
  const { headers } = call.request;
  const cbor = call.server.servesCbor;
  const only: Encoding[] = call.resource.custom ? ['json'] : ['json', 'protobuf'];
  if (cbor) only.push('cbor');
  return { ...negotiate(headers['accept'], { transforms: true, only, streams: true, cbor }), pretty: false };
}

export function respondObject(
  call: ResourceCall,
  object: StoredObject,
  format: OutputFormat,
  code = 200,
): ServerResponse {
  return { code, warnings: call.warnings, content: { type: 'object', object, resource: call.resource, format } };
}

/** An answer that is not stored: a dry run's, a Status, another kind's. */
export function respondValue(call: ResourceCall, value: unknown, format: OutputFormat, code = 200): ServerResponse {
  return { code, warnings: call.warnings, content: { type: 'value', value, resource: call.resource, format } };
}

/** What was written, or would have been. */
export function respondWritten(
  call: ResourceCall,
  written: StoredObject | ApiObject,
  format: OutputFormat,
  code = 200,
): ServerResponse {
  return written instanceof StoredObject
    ? respondObject(call, written, format, code)
    : respondValue(call, written, format, code);
}
