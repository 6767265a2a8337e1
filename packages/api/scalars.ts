/** A decimal with a suffix, "100m" or "1Gi"; see `machinery`'s quantity functions. */
export type Quantity = string | number;
/** RFC 3339 in whole seconds, "2026-01-01T00:00:00Z". */
export type Time = string;
/** RFC 3339 with microseconds, "2026-01-01T00:00:00.000000Z". */
export type MicroTime = string;
/** Go's notation, "1m30s". */
export type Duration = string;
/** A count, or a share ("25%") or name ("http"). */
export type IntOrString = number | string;
/** The trie of owned fields in `managedFields`. */
export type FieldsV1 = { [key: string]: FieldsV1 };
