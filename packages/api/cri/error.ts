/** gRPC's status codes by name; the number is the index. */
export const criErrorCodes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

export type CriErrorCode = (typeof criErrorCodes)[number];

/** The one error of the CRI: gRPC's code and a message that the kubelet shows in events and container states. */
export class CriError extends Error {
  readonly code: CriErrorCode;

  constructor(code: CriErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CriError';
    this.code = code;
  }

  /** Keeps a CriError as it is; a cancelled call becomes `Canceled`, all else `Unknown`, as gRPC servers answer. */
  static from(error: unknown): CriError {
    if (error instanceof CriError) return error;
    const message = error instanceof Error ? error.message : String(error);
    const aborted = error instanceof Error && error.name === 'AbortError';
    return new CriError(aborted ? 'Canceled' : 'Unknown', message, { cause: error });
  }
}
