import { StatusError, type User } from '@kubernode/api';
import { preciseNow } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import { isLongRunning } from '../flowcontrol/long-running.ts';
import type { Content, ServerRequest, ServerResponse } from '../request.ts';
import type { Attributes } from '../seams.ts';
import type { AuditedRequest } from './audited-request.ts';

interface Asked {
  readonly request: ServerRequest;
  readonly attributes: Attributes;
  readonly server: ServerContext;
  readonly receivedMs: number;
}

/** Slower requests say so in their events. */
const slowMs = 500;

/** Writes down that a request came. Rejects where that must be, and cannot. */
export async function beginAudit(user: User | undefined, asked: Asked): Promise<AuditedRequest | undefined> {
  const { server } = asked;
  const audited = begin(user, asked);
  if (!audited || (await audited.stage('RequestReceived'))) return audited;
  server.audit!.countRejected();
  throw StatusError.from(new Error('failed to store audit event'));
}

function begin(user: User | undefined, { request, attributes, server, receivedMs }: Asked): AuditedRequest | undefined {
  const auditId = request.headers['audit-id'] || server.newUid();
  const { clock } = server;
  // It came as long ago as the coarser clock says.
  const preciseMs = preciseNow(clock) - (clock.now() - receivedMs);
  return server.audit!.begin(request, attributes, user, { auditId, receivedMs: preciseMs });
}

/** Who is not known gets one event. */
export function auditStranger(response: ServerResponse, asked: Asked): ServerResponse {
  const audited = begin(undefined, asked);
  if (!audited) return response;
  audited.response(response.code, response.content, asked.request.query);
  void audited.stage('ResponseStarted');
  return withId(audited, response);
}

/** Writes down how a request is answered; of streams, also their end. `panic` is an error that nobody foresaw. */
export function finishAudit(
  audited: AuditedRequest,
  response: ServerResponse,
  { request, attributes, server, receivedMs }: Asked,
  panic: Error | undefined,
): ServerResponse {
  const { code, content } = response;
  try {
    audited.response(code, content, request.query);
  } catch (error) {
    server.log.error('an answer cannot be written into its audit event', { error: String(error) });
  }
  const tookMs = server.clock.now() - receivedMs;
  if (tookMs > slowMs) audited.annotate('apiserver.latency.k8s.io/total', `${tookMs}ms`);
  if (panic !== undefined) {
    const message = `APIServer panic'd: ${panic.message}`;
    audited.event.responseStatus = { status: 'Failure', message, reason: 'InternalError', code: 500 };
    void audited.stage('Panic');
    return withId(audited, response);
  }
  if (!isLongRunning(attributes)) {
    audited.complete();
    return withId(audited, response);
  }
  void audited.stage('ResponseStarted');
  return withId(audited, { ...response, content: followed(content, request, () => audited.complete()) });
}

const withId = ({ event }: AuditedRequest, response: ServerResponse): ServerResponse => ({
  ...response,
  headers: { ...response.headers, 'audit-id': event.auditID },
});

/** The same content; `ended` is called when all of it is sent, or nobody takes it any more. */
function followed(content: Content, request: ServerRequest, ended: () => void): Content {
  if (content.type === 'watch') {
    const { watcher } = content;
    const { onEnd } = watcher;
    watcher.onEnd = () => {
      onEnd?.();
      ended();
    };
    if (watcher.ended) ended();
  } else if (content.type === 'stream' && content.body) {
    return { ...content, body: followedBody(content.body, ended) };
  } else if (content.type === 'upgraded' && request.upgrade) request.upgrade.socket.once('close', ended);
  else ended();
  return content;
}

async function* followedBody(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    ended();
  }
}
