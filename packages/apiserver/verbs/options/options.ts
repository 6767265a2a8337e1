import { StatusError, type FieldCause } from '@kubernode/api';
import { isTrue } from '../../route.ts';

/** What the query of a write says. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean;
}

const fieldManagerLengthMax = 128;
const validations: ReadonlySet<string> = new Set(['', 'Ignore', 'Warn', 'Strict']);

/** Reads and checks a write's query. `kind` is that of the options upstream, for the error. Throws Invalid. */
export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  if (query.size === 0) return plainWrite;
  const causes = [
    ...dryRunCauses(query.getAll('dryRun')),
    ...fieldManagerCauses(query.get('fieldManager') ?? ''),
    ...fieldValidationCauses(query.get('fieldValidation') ?? ''),
  ];
  if (causes.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind }, '', causes);
  return {
    dryRun: query.has('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: (query.get('fieldValidation') || 'Warn') as WriteOptions['fieldValidation'],
    force: isTrue(query.get('force')),
  };
}

export const plainWrite: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: false };

export function dryRunCauses(values: readonly string[]): FieldCause[] {
  const unknown = values.filter((value) => value !== 'All');
  if (unknown.length === 0) return [];
  const message = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  return [{ reason: 'FieldValueNotSupported', message, field: 'dryRun' }];
}

function fieldManagerCauses(manager: string): FieldCause[] {
  if (manager.length > fieldManagerLengthMax) {
    const message = `Too long: may not be more than ${fieldManagerLengthMax} bytes`;
    return [{ reason: 'FieldValueTooLong', message, field: 'fieldManager' }];
  }
  for (const character of manager) {
    if (isPrintable(character)) continue;
    const message = `Invalid value: ${JSON.stringify(manager)}: should only contain printable characters`;
    return [{ reason: 'FieldValueInvalid', message, field: 'fieldManager' }];
  }
  return [];
}

const isPrintable = (character: string) => character === ' ' || !/[\p{C}\p{Z}]/u.test(character);

function fieldValidationCauses(value: string): FieldCause[] {
  if (validations.has(value)) return [];
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: "Ignore", "Strict", "Warn"`;
  return [{ reason: 'FieldValueNotSupported', message, field: 'fieldValidation' }];
}

/** Who owns the fields that a write sets: the given name, or the user agent up to its first slash. */
export function managerOf(options: WriteOptions, userAgent: string | undefined): string {
  return options.fieldManager || (userAgent ?? '').split('/')[0]!.slice(0, fieldManagerLengthMax) || 'unknown';
}
