import { StatusError, validateMetadata, type FieldCause } from '@kubernode/api';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { deepClone, parseJsonExactly } from '@kubernode/machinery';
import type { Destination } from '../outbound/destination.ts';
import { failedAnswer } from '../outbound/failure.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { isPlain } from './schema.ts';

/** Objects of one version as objects of another, in the same order. Rejects with what upstream says of a failure. */
export type Convert = (objects: readonly ApiObject[], apiVersion: string) => Promise<ApiObject[]>;

export interface ConvertDependencies {
  readonly outbound: Outbound;
  readonly newUid: () => string;
}

const timeoutMs = 30_000;
const group = 'apiextensions.k8s.io';
const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

/** Conversion by a definition's webhook (ConversionReview); undefined where it has none. */
export function webhookConversion(
  crd: CustomResourceDefinition,
  dependencies: ConvertDependencies,
): Convert | undefined {
  const { strategy, webhook } = crd.spec.conversion ?? {};
  if (strategy !== 'Webhook' || !webhook?.clientConfig) return undefined;
  const { clientConfig, conversionReviewVersions } = webhook;
  const reviewVersion = conversionReviewVersions.find((version) => reviewVersions.includes(version));
  let destination: Destination | undefined;
  return async (objects, apiVersion) => {
    const [first] = objects;
    if (!first) return [];
    const about = kindText(first);
    if (!reviewVersion) throw new Error('no supported conversion review versions');
    const uid = dependencies.newUid();
    const request = { uid, desiredAPIVersion: apiVersion, objects };
    const review = { kind: 'ConversionReview', apiVersion: `${group}/${reviewVersion}`, request };
    let converted: readonly unknown[];
    try {
      destination ??= dependencies.outbound.destination(clientConfig);
      const answer = await post(dependencies.outbound, destination, review);
      converted = convertedIn(answer, uid, reviewVersion);
    } catch (error) {
      throw new Error(`conversion webhook for ${about} failed: ${(error as Error).message}`, { cause: error });
    }
    if (converted.length !== objects.length) {
      const counts = `${converted.length} objects, expected ${objects.length}`;
      throw new Error(`conversion webhook for ${about} returned ${counts}`);
    }
    return objects.map((object, index) => checked(object, converted[index], apiVersion, index));
  };
}

/** As Go prints a GroupVersionKind. */
const kindText = ({ apiVersion = '', kind = '' }: { apiVersion?: string | undefined; kind?: string | undefined }) =>
  `${apiVersion}, Kind=${kind}`;

async function post(outbound: Outbound, to: Destination, review: object): Promise<unknown> {
  const { status, headers, body } = await outbound.post(to, review, { timeoutMs, query: { timeout: '30s' } });
  const text = Buffer.from(body).toString('utf8');
  if (status < 200 || status > 206) throw failedAnswer(status, headers, text);
  return parseJsonExactly(text);
}

/** What a review answers. Throws what is wrong with it, or what the webhook says went wrong. */
function convertedIn(answer: unknown, uid: string, reviewVersion: string): readonly unknown[] {
  const {
    apiVersion = '',
    kind = '',
    response,
  } = (isPlain(answer) ? answer : {}) as {
    apiVersion?: string;
    kind?: string;
    response?: { uid?: string; result?: { status?: string; message?: string }; convertedObjects?: readonly unknown[] };
  };
  const expected = { apiVersion: `${group}/${reviewVersion}`, kind: 'ConversionReview' };
  const isStrict = reviewVersion === 'v1';
  if (isStrict && (apiVersion !== expected.apiVersion || kind !== expected.kind)) {
    throw new Error(`expected webhook response of ${kindText(expected)}, got ${kindText({ apiVersion, kind })}`);
  }
  if (!response) throw new Error('no response provided');
  if (isStrict && response.uid !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success') throw new Error(message || `response.result.status was '${status}', not 'Success'`);
  return response.convertedObjects ?? [];
}

/** A converted object is the same object: of its metadata, only labels and annotations may have changed. */
function checked(original: ApiObject, converted: unknown, apiVersion: string, index: number): ApiObject {
  const about = kindText(original);
  const invalid = (why: string) => new Error(`conversion webhook for ${about} returned invalid ${why}`);
  const object = (isPlain(converted) ? converted : {}) as ApiObject;
  if (object.apiVersion !== apiVersion) {
    const why = `invalid groupVersion (expected ${apiVersion}, received ${object.apiVersion ?? ''})`;
    throw invalid(`object at index ${index}: ${why}`);
  }
  if (object.kind !== original.kind) {
    const why = `invalid kind (expected ${original.kind}, received ${object.kind ?? ''})`;
    throw invalid(`object at index ${index}: ${why}`);
  }
  const { metadata } = object as Partial<ApiObject>;
  const same = (name: 'name' | 'namespace' | 'uid', shown: string) => {
    const [before, after] = [original.metadata[name] ?? '', metadata?.[name] ?? ''];
    if (before !== after) throw invalid(`object: must have the same ${shown}: ${before} != ${after}`);
  };
  same('name', 'name');
  same('namespace', 'namespace');
  same('uid', 'UID');
  if (!isPlain(metadata)) throw invalid('metadata: missing metadata in converted object');
  return { ...object, metadata: restored(original, object, invalid) };
}

function restored(
  original: ApiObject,
  { metadata }: ApiObject,
  invalid: (why: string) => Error,
): ApiObject['metadata'] {
  const kept = deepClone(original.metadata) as ApiObject['metadata'];
  for (const field of ['labels', 'annotations'] as const) {
    const values: unknown = metadata[field];
    if (values === undefined || values === null) {
      delete kept[field];
      continue;
    }
    if (!isPlain(values)) throw invalid(`metadata: invalid metadata.${field} in converted object`);
    for (const [key, value] of Object.entries(values)) {
      if (typeof value === 'string') continue;
      throw invalid(`metadata: metadata.${field}[${key}] must be a string, but is ${typeof value} in converted object`);
    }
    kept[field] = values as Record<string, string>;
    const causes = validateMetadata(
      { ...original.metadata, name: 'a', namespace: '', finalizers: [], [field]: values },
      { namespaced: false },
    );
    if (causes.length > 0) throw invalid(`metadata: ${causes.map(causeText).join(', ')}`);
  }
  return kept;
}

const causeText = ({ field, message }: FieldCause) => `${field}: ${message}`;

/** Of an object that is to be written: the conversion's failure, with nothing around it. */
export function conversionFailed(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const { message } = error as Error;
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
