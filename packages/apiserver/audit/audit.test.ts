import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { ServerRequest } from '../request.ts';
import { Audit, type AuditMode } from './audit.ts';
import { Batching } from './batching.ts';
import { eventJson, eventLine, type AuditEvent } from './event.ts';
import { LogFile } from './log-file.ts';
import { writeEvent, type AuditSink, type WrittenEvent } from './sink.ts';
import { sourceIps } from './source-ips.ts';

const event = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  level: 'RequestResponse',
  auditID: 'id',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/pods?a=1&b=<2>',
  verb: 'list',
  user: { name: 'jane', groups: ['devs'], extra: { b: ['2'], a: ['1'] } },
  sourceIPs: ['127.0.0.1'],
  userAgent: 'agent',
  objectRef: { resource: 'pods', apiVersion: 'v1', apiGroup: '', namespace: '' },
  responseStatus: { code: 200 },
  requestReceivedMs: Date.parse('2026-01-01T00:00:00.001Z'),
  stageMs: Date.parse('2026-01-01T00:00:01Z'),
  annotations: { b: '2', a: '1' },
  ...changes,
});

const sinkOf = (process: (events: readonly WrittenEvent[]) => boolean | Promise<boolean>): AuditSink => ({
  name: 'test',
  process,
  close: async () => {},
});

test('eventJson writes fields in order, maps sorted, HTML escaped', () => {
  assert.equal(
    eventJson(event(), { typed: true }),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete",' +
      '"requestURI":"/api/v1/pods?a=1\\u0026b=\\u003c2\\u003e","verb":"list",' +
      '"user":{"username":"jane","groups":["devs"],"extra":{"a":["1"],"b":["2"]}},"sourceIPs":["127.0.0.1"],' +
      '"userAgent":"agent","objectRef":{"resource":"pods","apiVersion":"v1"},' +
      '"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2026-01-01T00:00:00.001000Z",' +
      '"stageTimestamp":"2026-01-01T00:00:01.000000Z","annotations":{"a":"1","b":"2"}}',
  );
  assert.equal(
    eventLine(event({ objectRef: undefined })),
    '2026-01-01T00:00:00.001Z AUDIT: id="id" stage="ResponseComplete" ip="127.0.0.1" method="list" user="jane" ' +
      'groups="\\"devs\\"" as="<self>" asgroups="<lookup>" user-agent="agent" namespace="<none>" ' +
      'uri="/api/v1/pods?a=1&b=<2>" response="200"',
  );
});

test('writeEvent leaves objects out of what is too large, and gives up on the rest', () => {
  const large = event({ requestObject: { text: JSON.stringify('x'.repeat(2_000)) } });
  const truncate = { eventBytesMax: 1_000, batchBytesMax: 10_000 };
  const written = writeEvent(large, 'json', truncate);
  assert.match(written!.text, /"audit.k8s.io\/truncated":"true"/);
  assert.doesNotMatch(written!.text, /requestObject/);
  assert.equal(writeEvent(large, 'json', { ...truncate, eventBytesMax: 100 }), undefined);
  assert.match(writeEvent(large, 'json', undefined)!.text, /requestObject/);
});

test('LogFile says that its folder cannot be made', () => {
  const limits = { path: '/proc/x/audit.log', ageDaysMax: 0, backupsMax: 0, megabytesMax: 1, compress: false };
  assert.throws(() => new LogFile(limits, new FakeClock()), /the file system of \/proc takes no new folders/);
});

test('LogFile renames a full file, and keeps so many of the old ones', () => {
  const directory = mkdtempSync(join(tmpdir(), 'audit-'));
  try {
    const clock = new FakeClock();
    const path = join(directory, 'logs', 'audit.log');
    const limits = { path, ageDaysMax: 0, backupsMax: 2, megabytesMax: 1, compress: false };
    const file = new LogFile(limits, clock);
    const line = { text: 'x'.repeat(600_000), event: { auditID: 'id', stage: 'Panic' as const } };
    for (let index = 0; index < 5; index += 1) {
      void clock.advance(1_000);
      file.process([line]);
    }
    const names = readdirSync(join(directory, 'logs'));
    assert.ok(names.includes('audit.log'));
    assert.ok(
      names.some((name) => /^audit-2026-01-01T00-00-\d\d\.\d{3}\.log$/.test(name)),
      names.join(),
    );
    assert.equal(readFileSync(path).length, 600_001);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('Batching hands on full batches at once, others after a while, and loses what does not fit', async () => {
  const clock = new FakeClock();
  const batches: number[] = [];
  let lost = 0;
  const sink = sinkOf((events) => batches.push(events.length) > 0);
  const options = {
    bufferSize: 5,
    batchSizeMax: 2,
    batchWaitMsMax: 1_000,
    throttleEnable: true,
    throttleQps: 1,
    throttleBurst: 1,
  };
  const parts = { clock, batchBytesMax: undefined, lost: (count: number) => (lost += count) };
  const batching = new Batching(sink, options, parts);
  const one = writeEvent(event(), 'json', undefined)!;
  batching.process([one]);
  await clock.advance(999);
  assert.deepEqual(batches, []);
  await clock.advance(1);
  assert.deepEqual(batches, [1]);
  for (let index = 0; index < 7; index += 1) batching.process([one]);
  await clock.advance(500);
  assert.deepEqual([batches, lost], [[1], 2]);
  await clock.advance(5_000);
  assert.deepEqual(batches, [1, 2, 2, 1]);
  batching.process([one]);
  await batching.close();
  assert.equal(batches.at(-1), 1);
});

test('Audit refuses a request only where it must be written down', async () => {
  const request = { headers: {}, path: '/', query: new URLSearchParams(), method: 'GET' } as unknown as ServerRequest;
  const attributes = { verb: 'get', group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  for (const [mode, expected] of [
    ['batch', true],
    ['blocking', true],
    ['blocking-strict', false],
  ] as const) {
    const metrics = new MetricsRegistry();
    const sink = sinkOf(() => Promise.reject(new Error('no space')));
    const audit = new Audit({
      policy: { rules: [{ level: 'Metadata' }] },
      backends: [{ sink, mode: mode as AuditMode, format: 'json' }],
      clock: new FakeClock(),
      log: silentLogger,
      metrics,
    });
    const begun = audit.begin(request, { ...attributes, path: '/' }, undefined, { auditId: 'a', receivedMs: 0 });
    assert.equal(await begun!.stage('RequestReceived'), expected);
    assert.equal(await begun!.stage('ResponseComplete'), true);
    assert.match(metrics.text(), /apiserver_audit_error_total\{plugin="test"\} 2/);
  }
});

test('sourceIps lists what proxies say, then the connection', () => {
  const cases = [
    [{ 'x-forwarded-for': '1.1.1.1, nonsense, ::2' }, '10.0.0.1', ['1.1.1.1', '::2', '10.0.0.1']],
    [{ 'x-real-ip': '1.1.1.1' }, '::ffff:10.0.0.1', ['1.1.1.1', '10.0.0.1']],
    [{ 'x-forwarded-for': '10.0.0.1' }, '10.0.0.1', ['10.0.0.1']],
    [{}, undefined, ['::1']],
  ] as const;
  for (const [headers, remoteAddress, expected] of cases) {
    const request = { headers, connection: { socket: { remoteAddress } } };
    assert.deepEqual(sourceIps(request as unknown as ServerRequest), expected);
  }
});
