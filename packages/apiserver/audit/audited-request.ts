import { encodeJsonText, type User } from '@kubernode/api';
import { deepClone, preciseNow, type Clock, type ObjectShape, parseJsonExactly } from '@kubernode/machinery';
import { encodeAnswer } from '../encode/answer.ts';
import { plainJson } from '../encode/negotiate.ts';
import type { Content, ServerRequest } from '../request.ts';
import type { Attributes } from '../seams.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { sourceIps } from './source-ips.ts';
import type { AuditEvent, RawJson } from './event.ts';
import { levels, type Ruling, type Stage } from './policy.ts';

const userAgentLengthMax = 1024;

interface Begun {
  readonly request: ServerRequest;
  readonly attributes: Attributes;
  readonly user: User | undefined;
  readonly auditId: string;
  readonly receivedMs: number;
  readonly ruling: Ruling;
}

/** Whether the sink has taken an event; only its strict mode ever says no. */
export type Process = (event: AuditEvent) => boolean | Promise<boolean>;

/** What is written down of one request: an event that fills up, sent at each of its stages. */
export class AuditedRequest {
  readonly event: AuditEvent;
  readonly #ruling: Ruling;
  readonly #clock: Clock;
  readonly #process: Process;
  #isComplete = false;

  constructor({ request, attributes, user, auditId, receivedMs, ruling }: Begun, clock: Clock, process: Process) {
    this.#ruling = ruling;
    this.#clock = clock;
    this.#process = process;
    const agent = request.headers['user-agent'] ?? '';
    this.event = {
      level: ruling.level,
      auditID: auditId,
      stage: 'RequestReceived',
      requestURI: uriOf(request),
      verb: attributes.verb,
      user,
      sourceIPs: sourceIps(request),
      userAgent: agent.length > userAgentLengthMax ? `${agent.slice(0, userAgentLengthMax)}...TRUNCATED` : agent,
      objectRef: referenceOf(attributes),
      requestReceivedMs: receivedMs,
      stageMs: receivedMs,
    };
  }

  /** `level`: from which on it is written down. */
  annotate(key: string, value: string, level: 'Metadata' | 'Request' = 'Metadata'): void {
    if (level === 'Request' && !this.#is('Request')) return;
    const { event } = this;
    // The first to say something is right.
    (event.annotations ??= {})[key] ??= value;
  }

  impersonated(user: User, constraint: string | undefined): void {
    this.event.impersonatedUser = user;
    this.event.impersonationConstraint = constraint;
  }

  /** The decoded body. `fill` gives a copy of it its defaults. */
  requestObject(object: ApiObject, shape: ObjectShape, fill: (copy: ApiObject) => void): void {
    this.#noteNames(object);
    if (!this.#is('Request')) return;
    const copy = deepClone(object) as ApiObject;
    fill(copy);
    if (this.#ruling.omitManagedFields) dropManagedFields(copy);
    this.event.requestObject = { text: encodeJsonText(copy, shape) };
  }

  requestPatch(body: { readonly bytes: Buffer } | { readonly value: unknown }): void {
    if (!this.#is('Request')) return;
    this.event.requestObject = 'value' in body ? { text: JSON.stringify(body.value) } : jsonOf(body.bytes);
  }

  /** What the client gets. */
  response(code: number, content: Content, query: URLSearchParams): void {
    const status = content.type === 'value' ? (content.value as Record<string, unknown>) : undefined;
    const isStatus = status?.['kind'] === 'Status';
    this.event.responseStatus = isStatus ? { ...(status as object), code } : { code };
    if (!this.#is('RequestResponse')) return;
    if (content.type !== 'object' && content.type !== 'list' && content.type !== 'value') return;
    if (content.type === 'value' && status?.['kind'] === undefined) return;
    const format = { ...content.format, encoding: plainJson.encoding, pretty: false };
    const { body } = encodeAnswer({ ...content, format } as typeof content, this.#clock.now(), query);
    const text = body.toString('utf8').trimEnd();
    this.event.responseObject = { text: this.#ruling.omitManagedFields ? withoutManagedFields(text) : text };
  }

  /** False where the sink refuses, which only its strict mode does. */
  stage(stage: Stage): boolean | Promise<boolean> {
    if (this.#ruling.omitStages.has(stage)) return true;
    this.event.stage = stage;
    if (stage !== 'RequestReceived') this.event.stageMs = preciseNow(this.#clock);
    return this.#process(this.event);
  }

  /** The last stage, once. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    void this.stage('ResponseComplete');
  }

  #is(level: AuditEvent['level']): boolean {
    return levels.indexOf(this.#ruling.level) >= levels.indexOf(level);
  }

  /** A create is known by name only from here on. */
  #noteNames({ metadata }: ApiObject): void {
    const reference = (this.event.objectRef ??= {});
    reference.namespace ||= metadata?.namespace ?? '';
    reference.name ||= metadata?.name ?? '';
    reference.uid ||= metadata?.uid ?? '';
    reference.resourceVersion ||= metadata?.resourceVersion ?? '';
  }
}

function uriOf({ url, path, query }: ServerRequest): string {
  if (url !== undefined) return url;
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

function referenceOf(attributes: Attributes): AuditEvent['objectRef'] {
  const { resource, namespace, name, group, version, subresource } = attributes;
  if (resource === '') return undefined;
  return { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
}

/** A patch may come as YAML, which is no JSON. */
function jsonOf(bytes: Buffer): RawJson | undefined {
  try {
    return { text: JSON.stringify(parseJsonExactly(bytes.toString('utf8'))) };
  } catch {
    return { text: JSON.stringify(bytes.toString('utf8')) };
  }
}

interface Described {
  metadata?: { managedFields?: unknown };
  items?: Described[];
  rows?: { object?: Described }[];
}

function dropManagedFields(object: Described): void {
  if (object.metadata) delete object.metadata.managedFields;
  for (const item of object.items ?? []) dropManagedFields(item);
  for (const { object: rowObject } of object.rows ?? []) if (rowObject) dropManagedFields(rowObject);
}

function withoutManagedFields(text: string): string {
  if (!text.includes('"managedFields"')) return text;
  const value = parseJsonExactly(text) as Described;
  dropManagedFields(value);
  return JSON.stringify(value);
}
