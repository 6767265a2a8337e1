import { StatusError } from '@kubernode/api';

/** A webhook that could not be asked, or whose answer cannot be used: its failure policy decides. */
export class CallingWebhookError extends Error {
  /** For metrics. */
  readonly code: number;

  constructor(webhook: string, reason: string, code: number) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
    this.name = 'CallingWebhookError';
    this.code = code;
  }
}

/** A webhook that said no. */
export class WebhookRejection extends Error {
  readonly status: StatusError;

  constructor(status: StatusError) {
    super(status.message);
    this.name = 'WebhookRejection';
    this.status = status;
  }
}

/** What a client is told of a refusal: the webhook's own status, made a failure (apiserver, ToStatusErr). */
export function rejection(webhook: string, said: Readonly<Record<string, unknown>> | undefined): WebhookRejection {
  const { metadata, code, status, message, reason, details } = said ?? {};
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = message || reason;
  return new WebhookRejection(
    new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: typeof metadata === 'object' && metadata !== null ? metadata : {},
      status: !status || status === 'Success' ? 'Failure' : String(status as string),
      message: why ? `${denied}: ${String(why as string)}` : `${denied} without explanation`,
      ...(typeof reason === 'string' && reason && { reason }),
      ...(typeof details === 'object' && details !== null && { details }),
      code: typeof code === 'number' && code >= 400 ? code : 400,
    }),
  );
}
