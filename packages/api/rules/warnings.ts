/** One warning for each annotation of the table that is there. */
export function annotationWarnings(
  annotations: Readonly<Record<string, string>> | undefined,
  deprecated: Readonly<Record<string, string>>,
  path = 'metadata.annotations',
): string[] {
  if (!annotations) return [];
  return Object.entries(deprecated)
    .filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, message]) => `${path}[${key}]: ${message}`);
}
