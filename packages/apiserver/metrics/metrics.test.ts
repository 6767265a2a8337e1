import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberText } from './exposition.ts';
import { MetricsRegistry } from './registry.ts';

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
