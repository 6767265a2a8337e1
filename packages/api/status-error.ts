import type { Status, StatusCause } from './generated/types/meta/v1.ts';

/** The closed set of reasons (meta/v1 StatusReason) that this project answers with. */
export type StatusReason =
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Gone'
  | 'InternalError'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'NotFound'
  | 'RequestEntityTooLarge'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  | 'UnsupportedMediaType'
  | '';

const codes: Readonly<Record<Exclude<StatusReason, ''>, number>> = {
  AlreadyExists: 409,
  BadRequest: 400,
  Conflict: 409,
  Expired: 410,
  Forbidden: 403,
  Gone: 410,
  InternalError: 500,
  Invalid: 422,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  NotFound: 404,
  RequestEntityTooLarge: 413,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  TooManyRequests: 429,
  Unauthorized: 401,
  UnsupportedMediaType: 415,
};

/** Nobody reads more of what is wrong; the rest of them could be megabytes. */
const causesMax = 2_000;

/** The one error that crosses the API: a Kubernetes Status (API conventions, "Response Status Kind"). */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'unknown error');
    this.name = 'StatusError';
    this.status = status;
  }

  /** A failure with the reason's usual code. */
  static of(
    reason: Exclude<StatusReason, ''>,
    message: string,
    details?: Status['details'],
    code?: number,
  ): StatusError {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      code: code ?? codes[reason],
    };
    return new StatusError(details ? { ...status, details } : status);
  }

  /** `pods "a" not found`. `resource` is the plural, with its group where it has one: { group: 'apps', plural: 'deployments' }. */
  static notFound(resource: ResourceName, name: string): StatusError {
    return StatusError.of('NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
  }

  static alreadyExists(resource: ResourceName, name: string): StatusError {
    return StatusError.of(
      'AlreadyExists',
      `${qualified(resource)} "${name}" already exists`,
      detailsOf(resource, name),
    );
  }

  static conflict(resource: ResourceName, name: string, why: string): StatusError {
    const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
    return StatusError.of('Conflict', message, detailsOf(resource, name));
  }

  static forbidden(resource: ResourceName, name: string, why: string): StatusError {
    const message = name
      ? `${qualified(resource)} "${name}" is forbidden: ${why}`
      : `${qualified(resource)} is forbidden: ${why}`;
    return StatusError.of('Forbidden', message, detailsOf(resource, name));
  }

  /** `why` says the limit, or what there is too much of. */
  static tooLarge(why: string): StatusError {
    return StatusError.of('RequestEntityTooLarge', `Request entity too large: ${why}`);
  }

  static badRequest(message: string): StatusError {
    return StatusError.of('BadRequest', message);
  }

  /** All that is wrong with an object, field by field (422). */
  static invalid(
    kind: { readonly group: string; readonly kind: string },
    name: string,
    found: readonly FieldCause[],
  ): StatusError {
    // Two rules that say the same of the same field count once, as upstream's do.
    const causes = [...new Map(found.slice(0, causesMax).map((cause) => [JSON.stringify(cause), cause])).values()];
    const list = causes.map((cause) => (cause.field ? `${cause.field}: ${cause.message}` : cause.message));
    const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
    const qualifiedKind = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
    const details = {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      kind: kind.kind,
      causes: causes.flatMap(({ repeats = 1, ...cause }): StatusCause[] => Array<StatusCause>(repeats).fill(cause)),
    };
    return StatusError.of('Invalid', `${qualifiedKind} ${JSON.stringify(name)} is invalid: ${text}`, details);
  }

  /** Whatever was thrown, as a StatusError: an unexpected error becomes an InternalError without its stack. */
  static from(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return StatusError.of('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason {
    return (this.status.reason ?? '') as StatusReason;
  }
}

export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** One thing that is wrong with one field. */
export interface FieldCause {
  /** FieldValueInvalid, FieldValueRequired, FieldValueNotSupported, FieldValueDuplicate, FieldValueForbidden, … */
  readonly reason: string;
  /** Upstream's text: `Invalid value: "a b": must …`. */
  readonly message: string;
  /** `spec.containers[0].name` */
  readonly field: string;
  /** How often it is told: upstream judges the metadata of some kinds several times. Default 1. */
  readonly repeats?: number;
}

/** Whether an error is a StatusError with one of these reasons. */
export function isReason(error: unknown, ...reasons: readonly StatusReason[]): error is StatusError {
  return error instanceof StatusError && reasons.includes(error.reason);
}

const qualified = ({ group, plural }: ResourceName) => (group ? `${plural}.${group}` : plural);
const detailsOf = ({ group, plural }: ResourceName, name: string) => ({
  ...(name ? { name } : {}),
  ...(group ? { group } : {}),
  kind: plural,
});
