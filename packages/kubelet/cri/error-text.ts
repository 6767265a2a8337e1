import { CriError } from '@kubernode/api/cri';

/** A failure of the runtime in gRPC's words, which is how clients know it from events and container states. */
export function criErrorText(error: unknown): string {
  if (error instanceof CriError) return `rpc error: code = ${error.code} desc = ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
