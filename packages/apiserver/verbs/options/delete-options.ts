import { exactInteger } from '@kubernode/machinery';
import { shapeOf, StatusError, type FieldCause } from '@kubernode/api';
import type { ResourceCall } from '../../context.ts';
import { isTrue } from '../../route.ts';
import { readObject } from '../writes/input.ts';
import { dryRunCauses, plainWrite } from './options.ts';

/** meta/v1 DeleteOptions, read from the body, or else from the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly dryRun: boolean;
}

const policies: ReadonlySet<string> = new Set(['Orphan', 'Background', 'Foreground']);

/** Throws BadRequest on a body that is no DeleteOptions, Invalid on values that are not allowed. */
export async function readDeleteOptions(call: ResourceCall): Promise<DeleteOptions> {
  const body = await call.request.body();
  const isEmpty = 'value' in body ? body.value === undefined || body.value === null : body.bytes.length === 0;
  const raw = isEmpty ? fromQuery(call.request.query) : await fromBody(call);
  const dryRun = (raw['dryRun'] as string[] | undefined) ?? [];
  const causes = [...dryRunCauses(dryRun), ...policyCauses(raw)];
  if (causes.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  return { ...(raw as Omit<DeleteOptions, 'dryRun'>), dryRun: dryRun.length > 0 };
}

async function fromBody(call: ResourceCall): Promise<Record<string, unknown>> {
  const expected = { apiVersion: '', kind: 'DeleteOptions', shape: shapeOf('meta.k8s.io/v1.DeleteOptions') };
  const object = await readObject(call, expected, { ...plainWrite, fieldValidation: 'Ignore' });
  return object as unknown as Record<string, unknown>;
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  if (query.size === 0) return {};
  const options: Record<string, unknown> = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null) {
    if (!/^[+-]?\d+$/.test(grace)) {
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    }
    options['gracePeriodSeconds'] = exactInteger(grace.replace('+', ''));
  }
  if (query.has('propagationPolicy')) options['propagationPolicy'] = query.get('propagationPolicy');
  if (query.has('orphanDependents')) options['orphanDependents'] = isTrue(query.get('orphanDependents'));
  if (query.has('dryRun')) options['dryRun'] = query.getAll('dryRun');
  return options;
}

function policyCauses(raw: Record<string, unknown>): FieldCause[] {
  const { propagationPolicy, orphanDependents } = raw;
  if (propagationPolicy === undefined) return [];
  if (orphanDependents !== undefined) {
    const message = `Invalid value: ${JSON.stringify(propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`;
    return [{ reason: 'FieldValueInvalid', message, field: 'propagationPolicy' }];
  }
  if (policies.has(propagationPolicy as string)) return [];
  const message = `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: "Foreground", "Background", "Orphan", "nil"`;
  return [{ reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' }];
}
