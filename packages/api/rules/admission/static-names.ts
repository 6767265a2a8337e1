import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';

const suffix = '.static.k8s.io';
const detail = `names ending with ${JSON.stringify(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;

/** Names of what the server's own files configure are not for clients. */
export const staticName = (name: string): readonly FieldCause[] =>
  name.endsWith(suffix) ? [invalid('metadata.name', name, detail)] : [];

/** What is said of such a name where the object exists already. */
export const staticNameWarnings = (name: string): readonly string[] =>
  name.endsWith(suffix) ? [`metadata.name: ${detail}`] : [];
