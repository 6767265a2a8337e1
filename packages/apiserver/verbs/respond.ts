import type { Call, ResourceCall } from '../context.ts';
import { isPretty, offers, type OutputFormat } from '../encode/negotiate.ts';
import type { ServerResponse } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { hasStatusTable } from './strategies.ts';

/** Of built-in objects. */
const builtIn = offers({ transforms: true });
/** Custom objects have no protobuf form; their metadata do. */
const custom = offers({ transforms: true, only: ['json', 'yaml'] });
/** YAML cannot carry events, one after the other. */
const builtInEvents = offers({ transforms: true, streams: true, only: ['json', 'protobuf'] });
const customEvents = offers({ transforms: true, streams: true, only: ['json'] });

/** The format of a resource's answer. Throws NotAcceptable: asked before anything is done. */
export function formatOf(call: Call): OutputFormat {
  const { query, headers } = call.request;
  const offer = (call as Partial<ResourceCall>).resource?.custom ? custom : builtIn;
  const negotiated = offer(call.server.servesCbor).negotiate(acceptOf(call));
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

/** The format of a watch's events. */
export function streamFormatOf({ request, resource, server }: ResourceCall): OutputFormat {
  const offer = resource.custom ? customEvents : builtInEvents;
  return { ...offer(server.servesCbor).negotiate(request.headers['accept']), pretty: false };
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
