import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError, type KubernetesObject } from '@kubernode/api';
import { Event, Pod } from '@kubernode/api/core/v1';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { createClient } from './client.ts';
import { createEventRecorder, type EventRecorderOptions } from './event-recorder.ts';
import { testApi } from './test-api.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
} as KubernetesObject;

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const api = testApi();
  const clock = new FakeClock();
  const client = createClient(api);
  const recorder = createEventRecorder({ client, component: 'tester', clock, log: silentLogger, ...options });
  const events = async () => (await client.list(Event)).items;
  return { api, clock, client, recorder, events };
}

test('EventRecorder writes an event as client-go does', async () => {
  const { recorder, events } = setUp({ component: 'kubelet', host: 'node-1' });
  recorder.event(pod, 'Normal', 'Started', 'Started container web', { fieldPath: 'spec.containers{web}' });
  await recorder.flush();
  const [{ metadata, ...event }] = (await events()) as [Event];
  assert.equal(metadata.name, `web.${(BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n).toString(16)}`);
  assert.equal(metadata.namespace, 'shop');
  assert.deepEqual(event, {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: {
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '7',
      fieldPath: 'spec.containers{web}',
    },
    type: 'Normal',
    reason: 'Started',
    message: 'Started container web',
    source: { component: 'kubelet', host: 'node-1' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
    reportingComponent: 'kubelet',
    reportingInstance: 'node-1',
  });
});

test('EventRecorder counts the same event on the first one', async () => {
  const { clock, recorder, events } = setUp();
  for (let i = 0; i < 3; i++) {
    recorder.event(pod, 'Warning', 'BackOff', 'Back-off restarting');
    await clock.advance(1_000);
  }
  await recorder.flush();
  const [event, ...others] = await events();
  assert.equal(others.length, 0);
  assert.equal(event?.count, 3);
  assert.equal(event?.firstTimestamp, '2026-01-01T00:00:00Z');
  assert.equal(event?.lastTimestamp, '2026-01-01T00:00:02Z');
});

test('EventRecorder combines events that differ in their message only', async () => {
  const { recorder, events } = setUp();
  for (let i = 0; i < 15; i++) recorder.event(pod, 'Warning', 'Failed', `message ${i}`);
  await recorder.flush();
  const messages = (await events()).map((event) => `${event.message} ×${event.count}`);
  assert.equal(messages.length, 10);
  assert.equal(messages.at(-1), '(combined from similar events): message 14 ×6');
});

test('EventRecorder lets a component say 25 things of an object, then one in five minutes', async () => {
  const { api, clock, recorder } = setUp();
  for (let i = 0; i < 40; i++) recorder.event(pod, 'Normal', `Reason${i}`, '');
  await recorder.flush();
  assert.equal(api.requests.length, 25);
  await clock.advance(300_000);
  for (let i = 40; i < 45; i++) recorder.event(pod, 'Normal', `Reason${i}`, '');
  await recorder.flush();
  assert.equal(api.requests.length, 26);
});

test('EventRecorder makes a series of events.k8s.io of the same events', async () => {
  const { api, clock, recorder, events } = setUp({ component: 'default-scheduler', host: 'm1', style: 'series' });
  for (let i = 0; i < 4; i++) {
    recorder.event(pod, 'Warning', 'FailedScheduling', '0/1 nodes are available', { action: 'Scheduling' });
    await clock.advance(1_000);
  }
  await recorder.flush();
  const [event, ...others] = await events();
  assert.equal(others.length, 0);
  assert.equal(event?.eventTime, '2026-01-01T00:00:00.000000Z');
  assert.equal(event?.count, undefined);
  assert.equal(event?.reportingInstance, 'default-scheduler-m1');
  assert.deepEqual(event?.series, { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' });
  assert.deepEqual(
    api.requests.slice(0, 2).map((request) => request.split(' ')[0]),
    ['POST', 'PATCH'],
  );
});

test('EventRecorder tries again when the server is not reached, and gives up on its refusal', async () => {
  const { api, clock, recorder, events } = setUp();
  let failures = 0;
  api.intercept = () => {
    if (failures++ < 2) throw new Error('connection refused');
  };
  recorder.event(pod, 'Normal', 'First', '');
  await clock.advance(20_000);
  await recorder.flush();
  api.intercept = () => {
    throw StatusError.forbidden({ group: '', plural: 'events' }, '', 'no');
  };
  recorder.event(pod, 'Normal', 'Second', '');
  await recorder.flush();
  api.intercept = () => {};
  assert.deepEqual(
    (await events()).map((event) => event.reason),
    ['First'],
  );
  await recorder.stop();
});

test('EventRecorder puts events of cluster-scoped objects into the namespace default', async () => {
  const { client, recorder } = setUp();
  recorder.event({ kind: 'Node', name: 'n1', uid: 'n1' }, 'Normal', 'NodeReady', '');
  await recorder.flush();
  assert.equal((await client.list(Event, { namespace: 'default' })).items.length, 1);
  assert.equal(Pod.kind, 'Pod');
});

test('EventRecorder goes on after an event that its series held back', async () => {
  const { recorder, events } = setUp({ style: 'series' });
  for (let i = 0; i < 3; i++) {
    recorder.event(pod, 'Warning', 'FailedScheduling', 'No room', { action: 'Scheduling' });
    await recorder.flush();
  }
  recorder.event(pod, 'Normal', 'Scheduled', 'Assigned', { action: 'Binding' });
  await recorder.flush();
  const reasons = (await events()).map(({ reason }) => reason);
  assert.deepEqual(new Set(reasons), new Set(['FailedScheduling', 'Scheduled']));
});
