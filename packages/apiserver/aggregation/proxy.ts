import { StatusError, type User } from '@kubernode/api';
import { parseJsonExactly, switchProtocols } from '@kubernode/machinery';
import { passedBack, passedOn, passedOnUpgrade } from '../connect/passing-on.ts';
import type { ServerContext } from '../context.ts';
import { plainJson } from '../encode/negotiate.ts';
import { plainFailure } from '../failure.ts';
import { failedAnswer } from '../outbound/failure.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { wholeBody } from '../outbound/whole-body.ts';
import type { ServerRequest, ServerResponse } from '../request.ts';
import { isTrue, methodNotAllowed } from '../route.ts';
import { authProxyHeaders } from './auth-proxy.ts';
import { documentBytesMax } from './extension-client.ts';
import type { RemoteVersion } from './extension.ts';

/**
 * Carries a request to the extension server of its group version, as `user`; the answer comes back as it is, watches
 * and upgraded connections, too. 503 where the server is not available. Throws MethodNotAllowed for CONNECT.
 */
export async function proxyToExtension(
  request: ServerRequest,
  user: User,
  remote: RemoteVersion,
  { outbound, aggregation }: Pick<ServerContext, 'outbound' | 'aggregation'>,
): Promise<ServerResponse> {
  if (request.user) return inMemory(request, user, remote, outbound);
  if (!remote.isAvailable) return plainFailure(503, 'service unavailable');
  // To carry it on would be to ask for a tunnel.
  if (request.method === 'CONNECT') throw methodNotAllowed();
  const query = request.query.size > 0 ? `?${request.query.toString()}` : '';
  const path = request.path + query;
  try {
    if (request.upgrade) return await handOver(request, user, path, remote, outbound);
    const answer = await outbound.stream(remote.destination, {
      method: request.method,
      path,
      headers: { ...passedOn(request.headers), ...authProxyHeaders(user) },
      body: await bodyOf(request),
      signal: request.signal,
    });
    const isRedirect = answer.status >= 300 && answer.status < 400 && answer.status !== 304;
    if (isRedirect && !aggregation.forwardsRedirects && answer.headers['location'] !== undefined) {
      answer.discard();
      return plainFailure(502, 'the backend attempted to redirect this request, which is not permitted');
    }
    const hasBody = request.method !== 'HEAD';
    if (!hasBody) answer.discard();
    const content = { type: 'stream', body: hasBody ? answer.body : undefined } as const;
    return { code: answer.status, headers: passedBack(answer.headers), content };
  } catch (error) {
    if (!request.signal.aborted) remote.checkSoon();
    return plainFailure(503, `error trying to reach service: ${(error as Error).message}`);
  }
}

/** For the server's own parts answers are values, and failures are Statuses. Throws StatusError. */
async function inMemory(
  request: ServerRequest,
  user: User,
  remote: RemoteVersion,
  outbound: Outbound,
): Promise<ServerResponse> {
  if (isTrue(request.query.get('watch'))) {
    const message = `watching ${remote.group}/${remote.version} in process: only its own server can be watched`;
    throw StatusError.of('MethodNotAllowed', message);
  }
  if (!remote.isAvailable) throw StatusError.of('ServiceUnavailable', `API service ${remote.name} is unavailable`);
  const query = request.query.size > 0 ? `?${request.query.toString()}` : '';
  let answer;
  try {
    answer = await outbound.stream(remote.destination, {
      method: request.method,
      path: request.path + query,
      headers: { ...passedOn(request.headers), accept: 'application/json', ...authProxyHeaders(user) },
      body: await bodyOf(request),
      signal: request.signal,
    });
  } catch (error) {
    remote.checkSoon();
    throw StatusError.of('ServiceUnavailable', `error trying to reach service: ${(error as Error).message}`);
  }
  const text = (await wholeBody(answer.body, documentBytesMax)).toString('utf8');
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
  if (!isJson) throw failedAnswer(answer.status, answer.headers, text);
  return { code: answer.status, content: { type: 'value', value: parseJsonExactly(text), format: plainJson } };
}

/** In memory a body is a value. */
async function bodyOf(request: ServerRequest): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  if (request.stream) return request.stream;
  const body = await request.body();
  const bytes = 'bytes' in body ? body.bytes : Buffer.from(body.value === undefined ? '' : JSON.stringify(body.value));
  return bytes.length === 0 ? undefined : once(bytes);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The client's connection becomes the server's, once that has switched. */
async function handOver(
  { upgrade, method, headers, signal }: ServerRequest,
  user: User,
  path: string,
  { destination }: RemoteVersion,
  outbound: Outbound,
): Promise<ServerResponse> {
  const server = await outbound.connect(destination, signal);
  const all = { host: destination.authority, ...passedOnUpgrade(headers), ...authProxyHeaders(user) };
  const answer = await switchProtocols({ client: upgrade!, server, method, path, headers: all, signal });
  if (answer === 'upgraded') return { code: 101, content: { type: 'upgraded' } };
  return { code: answer.statusCode!, headers: passedBack(answer.headers), content: { type: 'stream', body: answer } };
}
