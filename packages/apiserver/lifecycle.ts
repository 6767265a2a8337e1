import { StatusError, type User } from '@kubernode/api';
import { parseDuration } from '@kubernode/machinery';
import { proxyToExtension } from './aggregation/proxy.ts';
import { extensionOf } from './aggregation/route.ts';
import { authorizationWarning } from './authentication/authenticator.ts';
import { anonymous } from './authentication/groups.ts';
import { authenticationWarning } from './authentication/service-account/legacy-tokens.ts';
import type { AuditedRequest } from './audit/audited-request.ts';
import { auditStranger, beginAudit, finishAudit } from './audit/follow.ts';
import { impersonationConstraintOf } from './authentication/impersonation/impersonator.ts';
import { forbidden } from './authorization/forbidden.ts';
import type { Call, ServerContext } from './context.ts';
import type { Seat } from './flowcontrol/flow-control.ts';
import { isLongRunning } from './flowcontrol/long-running.ts';
import { preparedContent } from './encode/prepare.ts';
import { failure, notFoundPage, Refused, TooManyRequests, Undecided, unforeseen } from './failure.ts';
import type { ServerRequest, ServerResponse } from './request.ts';
import { authorizedAttributes, resourceOf, routeOf, type Route } from './route.ts';
import type { Attributes, Decision } from './seams.ts';
import { verbFor } from './verbs/index.ts';

/**
 * A request's life, top to bottom. Never throws: whatever goes wrong becomes a Status. What happens inside a verb
 * (decode → default → mutate → validate → store) is in `verbs/`.
 */
export async function handle(request: ServerRequest, server: ServerContext): Promise<ServerResponse> {
  const startedMs = server.clock.now();
  const { metrics } = server;
  const kind = request.method === 'GET' || request.method === 'HEAD' ? 'readOnly' : 'mutating';
  metrics.inFlight.begin(kind);
  let queuedMs = 0;
  let route: Route | undefined;
  let seat: Seat | undefined;
  let response: ServerResponse;
  let audited: AuditedRequest | undefined;
  let failed: unknown;
  const warnings: string[] = [];
  try {
    route = routeOf(request.method, request.path, request.query);
    const { attributes } = route;
    const timeoutMs = limitTime(request, attributes, server);
    const ignored = authorizationWarning(request.headers);
    if (ignored !== undefined) warnings.push(ignored);
    const authenticating = authenticated(request, server);
    const asking = authenticating instanceof Promise ? await authenticating : authenticating;
    if (asking.name === anonymous.name) request.limits?.distrust();
    const warning = authenticationWarning(asking);
    if (warning !== undefined) warnings.push(warning);
    if (server.audit) audited = await beginAudit(asking, { request, attributes, server, receivedMs: startedMs });
    const impersonating = impersonated(asking, request, attributes, server);
    const user = impersonating instanceof Promise ? await impersonating : impersonating;
    if (audited && user !== asking) audited.impersonated(user, impersonationConstraintOf(user));
    const admitted = server.flowControl.admit({
      user,
      attributes,
      query: request.query,
      client: request,
      isOutside: request.limits !== undefined,
      waitMs: timeoutMs / 4,
    });
    if (admitted instanceof Promise) {
      const queuedFromMs = server.clock.now();
      seat = await admitted;
      queuedMs = server.clock.now() - queuedFromMs;
    } else seat = admitted;
    if (seat.retryAfterSeconds !== undefined) throw new TooManyRequests(seat.retryAfterSeconds);
    const authorizing = authorize(user, attributes, server, audited);
    if (authorizing) await authorizing;
    const call = { request, route, user, server, warnings };
    const answering = answer(audited ? { ...call, audit: audited, annotate: audited.annotate.bind(audited) } : call);
    response = answering instanceof Promise ? await answering : answering;
    const pending = preparedContent(response.content);
    if (pending) await pending;
  } catch (error) {
    failed = error;
    response = { ...failure(error, request, server), warnings };
  }
  metrics.inFlight.end(kind);
  if (route) response = counted(request, route, response, server, { startedMs, queuedMs });
  if (seat) response = seated(seat, response, request);
  if (route) trackWatch(response, route.attributes, server);
  if (!server.audit || !route) return response;
  const asked = { request, attributes: route.attributes, server, receivedMs: startedMs };
  if (audited) return finishAudit(audited, response, asked, unforeseen(failed));
  return response.code === 401 ? auditStranger(response, asked) : response;
}

/** Counts the request; one that goes on for long when it has ended, but in memory, where nobody tells. */
function counted(
  request: ServerRequest,
  { attributes }: Route,
  response: ServerResponse,
  server: ServerContext,
  { startedMs, queuedMs }: { readonly startedMs: number; readonly queuedMs: number },
): ServerResponse {
  const { metrics, registry, aggregation, clock } = server;
  const { group, version, resource, subresource } = attributes;
  const served = registry.find(group, version, resource);
  const isServed = served ? subresource === '' || served.verbsOf.has(subresource) : aggregation.find(group, version);
  const about = {
    method: request.method,
    query: request.query,
    headers: request.headers,
    attributes,
    isUnknown: resource !== '' && !isServed,
    isOwn: request.user?.name === 'system:apiserver',
  };
  const observe = () => metrics.requests.observe(about, response.code, clock.now() - startedMs, queuedMs);
  const { type } = response.content;
  const isLong = (type === 'watch' || type === 'upgraded' || type === 'stream') && isLongRunning(attributes);
  if (isLong && !request.user) {
    const gauge = metrics.requests.longRunning(about);
    gauge.add(1);
    const onEnd = () => {
      gauge.add(-1);
      observe();
    };
    return { ...response, onEnd };
  }
  const sizes = observe();
  return sizes && !request.user ? { ...response, onSize: (bytes) => sizes.observe(bytes) } : response;
}

/** Over HTTP an answer keeps its seat until it is sent; a watch, until its first events are there. */
function seated(seat: Seat, response: ServerResponse, { limits }: ServerRequest): ServerResponse {
  const headers = { ...seat.headers, ...response.headers };
  if (limits && response.content.type !== 'watch') return { ...response, headers, onSent: seat };
  seat.release();
  return { ...response, headers };
}

/** Writes are charged for the watches that they wake. */
function trackWatch({ content }: ServerResponse, attributes: Attributes, { flowControl }: ServerContext): void {
  if (content.type !== 'watch' || content.watcher.ended) return;
  const { watcher } = content;
  const { onEnd } = watcher;
  const end = flowControl.watching(attributes);
  watcher.onEnd = () => {
    onEnd?.();
    end();
  };
}

/** Streams last; all else is cut after the server's time, or the client's where that is less. Throws BadRequest. */
function limitTime(request: ServerRequest, attributes: Attributes, { limits }: ServerContext): number {
  let timeoutMs = limits.requestTimeoutMs;
  if (!request.limits || isLongRunning(attributes)) return timeoutMs;
  const asked = request.query.get('timeout');
  if (asked) {
    const askedMs = parseTimeout(asked);
    if (askedMs > 0 && askedMs < timeoutMs) timeoutMs = askedMs;
  }
  request.limits.limit(timeoutMs);
  return timeoutMs;
}

function parseTimeout(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw StatusError.badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}

/** Who asks. In memory the transport has said so. */
function authenticated(request: ServerRequest, server: ServerContext): Promise<User> | User {
  return request.user ?? server.security.authenticate(request.credentials ?? { headers: request.headers });
}

/** As whom. */
function impersonated(
  user: User,
  request: ServerRequest,
  attributes: Attributes,
  server: ServerContext,
): Promise<User> | User {
  if (request.user) return user;
  const refused = (error: unknown): never => {
    throw error instanceof StatusError ? new Refused(error.status) : error;
  };
  try {
    const credentials = request.credentials ?? { headers: request.headers };
    const acting = server.security.impersonate?.(user, credentials, attributes) ?? user;
    return acting instanceof Promise ? acting.catch(refused) : acting;
  } catch (error) {
    return refused(error);
  }
}

/** Throws Forbidden, worded as upstream's; a promise only where somebody else is asked. */
function authorize(
  user: User,
  asked: Attributes,
  server: ServerContext,
  audited: AuditedRequest | undefined,
): Promise<void> | undefined {
  const attributes = authorizedAttributes(asked);
  const follow = (decision: Decision): void => {
    if (audited) {
      audited.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
      audited.annotate('authorization.k8s.io/reason', decision.reason ?? '');
    }
    if (decision.allowed) return;
    if (decision.error !== undefined) throw new Undecided(decision.error);
    throw new Refused(forbidden(user, attributes, decision.reason).status);
  };
  const decided = server.security.authorize(user, attributes);
  if (decided instanceof Promise) return decided.then(follow);
  follow(decided);
  return undefined;
}

function answer(call: Call): Promise<ServerResponse> | ServerResponse {
  const extension = extensionOf(call);
  if (extension) return proxyToExtension(call.request, call.user, extension, call.server);
  if (!call.route.isResource) return otherPath(call);
  const resource = resourceOf(call.route, call.server.registry);
  if (resource.custom?.warning !== undefined) call.warnings.push(resource.custom.warning);
  const verb = verbFor(call.route, resource, call.request.method);
  const { deprecation } = resource.definition;
  if (deprecation) {
    call.warnings.push(deprecation);
    call.annotate?.('k8s.io/deprecated', 'true');
    const [, removed] = /unavailable in v(\d+\.\d+)\+/.exec(deprecation) ?? [];
    call.server.metrics.requests.deprecated(call.route.attributes, removed ?? '');
    if (removed) call.annotate?.('k8s.io/removed-release', removed);
  }
  return verb({ ...call, resource });
}

async function otherPath(call: Call): Promise<ServerResponse> {
  const response = await call.server.documents(call);
  return response ?? notFoundPage;
}
