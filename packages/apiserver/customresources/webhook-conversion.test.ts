import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import type { Destination } from '../outbound/destination.ts';
import type { Outbound, PostAnswer } from '../outbound/outbound.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { NotReadable } from '../storage/unreadable.ts';
import { customConversion } from './conversion.ts';
import { webhookConversion } from './webhook-conversion.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly ApiObject[];
  };
}

/** A webhook that renames, and does to its answer what a test asks for. */
function webhook(spoil: (response: Record<string, unknown>, review: Review) => object = (response) => response) {
  const reviews: Review[] = [];
  const outbound: Partial<Outbound> = {
    destination: () => ({}) as Destination,
    async post(_to, body) {
      const review = body as Review;
      reviews.push(review);
      const { uid, desiredAPIVersion: apiVersion, objects } = review.request;
      const convertedObjects = objects.map((object) => ({ ...object, apiVersion }));
      const response = spoil({ uid, convertedObjects, result: { status: 'Success' } }, review);
      const answer = { apiVersion: review.apiVersion, kind: 'ConversionReview', response };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) } satisfies PostAnswer;
    },
  };
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v3', 'v1'], clientConfig: { url: 'https://a' } },
  };
  const crd = { spec: { conversion } } as unknown as CustomResourceDefinition;
  const convert = webhookConversion(crd, { outbound: outbound as Outbound, newUid: () => 'u1' });
  assert.ok(convert);
  return { convert, reviews };
}

const object = (name: string, more: object = {}): ApiObject =>
  ({
    kind: 'Foo',
    apiVersion: 'g/v1',
    metadata: { name, uid: name, labels: { a: 'b' } },
    ...more,
  }) as unknown as ApiObject;

test('webhookConversion sends objects in the first version that both know, and keeps their metadata', async () => {
  const { convert, reviews } = webhook((response) => {
    const [first] = response['convertedObjects'] as ApiObject[];
    const metadata = { name: 'x', uid: 'x', generation: 9, labels: { c: 'd' } };
    return { ...response, convertedObjects: [{ ...first, metadata }] };
  });
  const converted = await convert([object('x')], 'g/v2');
  assert.deepEqual(converted, [
    { kind: 'Foo', apiVersion: 'g/v2', metadata: { name: 'x', uid: 'x', labels: { c: 'd' } } },
  ]);
  assert.equal(reviews[0]?.apiVersion, 'apiextensions.k8s.io/v1');
});

const refusals: readonly (readonly [why: string, spoil: (response: Record<string, unknown>) => object])[] = [
  ['failed: no way', (response) => ({ ...response, result: { status: 'Failure', message: 'no way' } })],
  ['failed: expected response.uid="u1", got "u2"', (response) => ({ ...response, uid: 'u2' })],
  ['returned 0 objects, expected 1', (response) => ({ ...response, convertedObjects: [] })],
  [
    'returned invalid object: must have the same name: x != y',
    (response) => ({
      ...response,
      convertedObjects: [{ ...object('x'), apiVersion: 'g/v2', metadata: { name: 'y' } }],
    }),
  ],
  [
    'returned invalid object at index 0: invalid groupVersion (expected g/v2, received g/v1)',
    (response) => ({ ...response, convertedObjects: [object('x')] }),
  ],
];

for (const [why, spoil] of refusals) {
  test(`webhookConversion refuses an answer: ${why}`, async () => {
    const { convert } = webhook(spoil);
    await assert.rejects(convert([object('x')], 'g/v2'), { message: `conversion webhook for g/v1, Kind=Foo ${why}` });
  });
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schemas = new Map(['g/v1', 'g/v2'].map((version) => [version, anything]));
const options = { group: 'g', plural: 'foos', apiVersion: 'g/v2', storedApiVersion: 'g/v1', schemas };

test('customConversion asks once for a list of 500, and not again', async () => {
  const { convert, reviews } = webhook();
  const { prepare, read } = customConversion({ ...options, convert });
  const stored = Array.from({ length: 500 }, (_, index) => {
    const name = `o${index}`;
    return new StoredObject({ key: name, namespace: '' }, 1, Buffer.from(JSON.stringify(object(name))));
  });
  await Promise.all([prepare?.(stored), prepare?.(stored.slice(0, 10))]);
  assert.equal(prepare?.(stored), undefined);
  assert.equal(reviews.length, 1);
  assert.equal(read?.(stored[7]!).apiVersion, 'g/v2');
});

test('customConversion says which objects cannot be read', async () => {
  const { convert } = webhook(() => ({}));
  const { prepare } = customConversion({ ...options, convert });
  const stored = new StoredObject({ key: 'x', namespace: '' }, 7, Buffer.from(JSON.stringify(object('x'))));
  await assert.rejects(
    async () => prepare?.([stored]),
    (error) => error instanceof NotReadable && error.message.startsWith('object not decodable revision=7: '),
  );
});

test('customConversion brings an object that is not stored yet to its version', async () => {
  const { convert, reviews } = webhook();
  const conversion = customConversion({ ...options, convert });
  assert.equal((await conversion.convert?.(object('new')))?.apiVersion, 'g/v2');
  assert.equal(reviews[0]?.request.desiredAPIVersion, 'g/v2');
});
