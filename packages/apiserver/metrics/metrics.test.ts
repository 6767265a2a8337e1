import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberText } from './exposition.ts';
import { InFlightMetrics } from './in-flight.ts';
import { MetricsRegistry } from './registry.ts';
import { RequestMetrics } from './requests.ts';
import { forgetUnserved } from './unserved.ts';

test('numberText writes numbers as upstream does', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [42, '42'],
    [0.005, '0.005'],
    [0.00001, '1e-05'],
    [1e6, '1e+06'],
    [123456789, '1.23456789e+08'],
    [Infinity, '+Inf'],
    [-1.5, '-1.5'],
  ];
  for (const [value, text] of cases) assert.equal(numberText(value), text);
});

test('MetricsRegistry shows families by name, series by labels, labels by name', () => {
  const registry = new MetricsRegistry();
  const size = registry.gauge({ name: 'size', help: 'Of it.', stability: 'ALPHA' });
  const total = registry.counter({ name: 'a_total', help: 'All.', stability: 'STABLE', labels: ['verb', 'code'] });
  total.of('GET', '404').add();
  total.of('GET', '200').add(2);
  total.of('say "hi"\n', '200').add();
  registry.onCollect(() => size.of().set(7));
  assert.equal(
    registry.text(),
    [
      '# HELP a_total [STABLE] All.',
      '# TYPE a_total counter',
      'a_total{code="200",verb="GET"} 2',
      'a_total{code="200",verb="say \\"hi\\"\\n"} 1',
      'a_total{code="404",verb="GET"} 1',
      '# HELP size [ALPHA] Of it.',
      '# TYPE size gauge',
      'size 7',
      '',
    ].join('\n'),
  );
});

test('MetricsRegistry refuses a name twice', () => {
  const registry = new MetricsRegistry();
  registry.counter({ name: 'a', help: '', stability: 'ALPHA' });
  assert.throws(() => registry.gauge({ name: 'a', help: '', stability: 'ALPHA' }), /"a" is registered twice/);
});

test('Histogram counts what is at most each bound', () => {
  const registry = new MetricsRegistry();
  const seconds = registry.histogram({ name: 's', help: 'S.', stability: 'BETA', labels: ['v'], buckets: [0.1, 1] });
  for (const value of [0.1, 0.5, 2]) seconds.of('x').observe(value);
  assert.equal(
    registry.text(),
    [
      '# HELP s [BETA] S.',
      '# TYPE s histogram',
      's_bucket{v="x",le="0.1"} 1',
      's_bucket{v="x",le="1"} 2',
      's_bucket{v="x",le="+Inf"} 3',
      's_sum{v="x"} 2.6',
      's_count{v="x"} 3',
      '',
    ].join('\n'),
  );
});

test('RequestMetrics tells lists, applies and connections apart, and keeps what nobody serves without labels', () => {
  const registry = new MetricsRegistry();
  const requests = new RequestMetrics(registry);
  const pod = { verb: 'get', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'a', name: 'b' };
  const observe = (method: string, attributes: object, more = {}) => {
    const about = { method, query: new URLSearchParams(), headers: {}, isUnknown: false, isOwn: false, ...more };
    return requests.observe({ ...about, attributes: { ...pod, path: '', ...attributes } }, 200, 30, 10);
  };
  observe('GET', {})?.observe(5_000);
  observe('GET', { verb: 'list', name: '' });
  observe('PATCH', { verb: 'patch' }, { headers: { 'content-type': 'application/apply-patch+yaml' } });
  observe('POST', { verb: 'create', name: '' }, { query: new URLSearchParams('dryRun=All') });
  observe('GET', { subresource: 'log' });
  observe('GET', { group: 'no.such', resource: 'things' }, { isUnknown: true });
  observe('GET', { verb: 'get', version: '', resource: '', namespace: '', name: '', path: '/readyz' }, { isOwn: true });
  const total = registry.text().match(/^apiserver_request_total\{.*$/gm);
  const resource = (scope: string, rest: string, subresource = '', dryRun = '') =>
    `apiserver_request_total{code="200",component="apiserver",dry_run="${dryRun}",group="",resource="pods",` +
    `scope="${scope}",subresource="${subresource}",verb="${rest}",version="v1"} 1`;
  assert.deepEqual(
    total,
    [
      resource('resource', 'POST', '', 'All'),
      resource('namespace', 'LIST'),
      resource('resource', 'APPLY'),
      resource('resource', 'GET'),
      resource('resource', 'CONNECT', 'log'),
      ...['', '/readyz'].map(
        (subresource) =>
          'apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",' +
          `subresource="${subresource}",verb="GET",version=""} 1`,
      ),
    ].sort(),
  );
  assert.match(registry.text(), /apiserver_response_sizes_bucket\{.*resource="pods".*verb="GET".*le="10000"\} 1/);
  assert.match(registry.text(), /apiserver_selfrequest_total\{.*subresource="",verb="GET"\} 1/);
});

test('InFlightMetrics shows the most within the last second', () => {
  let nowMs = 5_000;
  const registry = new MetricsRegistry();
  const inFlight = new InFlightMetrics(registry, () => nowMs);
  inFlight.begin('readOnly');
  inFlight.begin('readOnly');
  inFlight.end('readOnly');
  nowMs = 6_100;
  assert.match(registry.text(), /request_kind="readOnly"\} 2/);
  nowMs = 7_100;
  assert.match(registry.text(), /request_kind="readOnly"\} 1/);
});

test('RequestMetrics keeps no words of clients for what nobody serves', () => {
  const registry = new MetricsRegistry();
  const metrics = new RequestMetrics(registry);
  const observe = (resource: string, path: string, isUnknown: boolean) =>
    metrics.observe(
      {
        method: 'GET',
        query: new URLSearchParams(),
        headers: {},
        attributes: {
          verb: 'get',
          group: resource,
          version: 'v1',
          resource,
          subresource: resource,
          namespace: '',
          name: '',
          path,
        },
        isUnknown,
        isOwn: false,
      },
      404,
      1,
      0,
    );
  const unknown = observe('made-up', '', true);
  assert.equal(observe('made-up-too', '', true), unknown);
  assert.equal(observe('', '/made-up', false), observe('', '/made-up/too', false));
  assert.notEqual(observe('', '/healthz', false), unknown);
  assert.ok(!registry.text().includes('made-up'));
});

test('forgetUnserved ends the series of custom resources that are gone, and counts those anew that come back', () => {
  const registry = new MetricsRegistry();
  const requests = new RequestMetrics(registry);
  let generation = 0;
  const gone = new Set<string>();
  forgetUnserved(registry, {
    generation: () => generation,
    has: (group, resource) => !gone.has(`${group}/${resource}`),
  });
  const ask = (group: string, resource: string) => {
    const target = { group, version: 'v1', resource, subresource: '', namespace: 'n', name: 'x', path: '' };
    const about = { method: 'GET', query: new URLSearchParams(), headers: {}, isUnknown: false, isOwn: false };
    requests.observe({ ...about, attributes: { ...target, verb: 'get' } }, 200, 1, 0);
  };
  const seriesOf = (resource: string) =>
    registry
      .text()
      .split('\n')
      .filter((line) => line.startsWith('apiserver_request_total') && line.includes(resource));
  for (let index = 0; index < 100; index += 1) {
    ask(`g${index}.example.com`, `widgets${index}`);
    gone.add(`g${index}.example.com/widgets${index}`);
  }
  ask('apps', 'deployments');
  gone.add('apps/deployments');
  assert.equal(seriesOf('widgets').length, 100);
  generation += 1;
  assert.doesNotMatch(registry.text(), /widgets/);
  assert.equal(seriesOf('deployments').length, 1);
  gone.delete('g1.example.com/widgets1');
  generation += 1;
  for (let index = 0; index < 3; index += 1) ask('g1.example.com', 'widgets1');
  assert.match(seriesOf('widgets').join(), /\} 3$/);
});
