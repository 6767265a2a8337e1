import { parseJsonExactly } from '../json-integers.ts';
import { isPlain, withSortedKeys, type Plain } from '../json-value.ts';
import { applyConfiguration, type Applied, type ApplyConfiguration } from './apply-configuration.ts';
import { compareObjects } from './compare.ts';
import { fieldSetOf } from './field-set.ts';
import { difference, formatPaths } from './fields.ts';

/** Where `kubectl apply` without `--server-side` notes what it applied. */
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The limit on all annotations of an object. */
const annotationBytesMax = 256 * 1024;

/**
 * Server-side apply for objects that may have been applied by the client before: what the annotation says, and still
 * holds, kubectl may take over without being told to force; and it keeps the annotation current, so that it can go back.
 * For other managers it is `applyConfiguration` (KEP-555, "Upgrading from client-side to server-side apply").
 */
export function applyOverLastApplied(options: ApplyConfiguration): Applied {
  const applied = applyConfiguration(options);
  if (options.manager !== 'kubectl') return applied;
  return withLastApplied(resolved(options, applied), options.applied);
}

function resolved(options: ApplyConfiguration, applied: Applied): Applied {
  const { conflicts } = applied;
  if (conflicts.length === 0) return applied;
  const allowed = allowedPaths(options);
  const others = conflicts.filter(({ field }) => !allowed.has(field));
  return others.length > 0 ? { ...applied, conflicts: others } : applyConfiguration({ ...options, force: true });
}

/** What was applied by the client and is still so. */
function allowedPaths({ live, shape }: ApplyConfiguration): ReadonlySet<string> {
  const last = live && parsed(annotationOf(live));
  if (!last) return new Set();
  const { changed, removed } = compareObjects(last, live, shape);
  return new Set(formatPaths(difference(difference(fieldSetOf(last, shape), changed), removed)));
}

function parsed(text: string): Plain | undefined {
  try {
    const value = parseJsonExactly(text);
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function annotationOf({ metadata }: Plain): string {
  const annotations = isPlain(metadata) ? metadata['annotations'] : undefined;
  const text = isPlain(annotations) ? annotations[annotation] : undefined;
  return typeof text === 'string' ? text : '';
}

function withLastApplied(applied: Applied, configuration: Plain): Applied {
  const { object } = applied;
  if (!annotationOf(object)) return applied;
  const metadata = object['metadata'] as Plain;
  const annotations: Record<string, unknown> = { ...(metadata['annotations'] as Plain) };
  annotations[annotation] = `${JSON.stringify(withSortedKeys(withoutAnnotation(configuration)))}\n`;
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) bytes += key.length + String(value as string).length;
  if (bytes > annotationBytesMax) annotations[annotation] = '';
  return { ...applied, object: { ...object, metadata: { ...metadata, annotations } } };
}

function withoutAnnotation(configuration: Plain): Plain {
  const { metadata } = configuration;
  if (!isPlain(metadata) || !isPlain(metadata['annotations'])) return configuration;
  const { [annotation]: _, ...annotations } = metadata['annotations'];
  return { ...configuration, metadata: { ...metadata, annotations } };
}
