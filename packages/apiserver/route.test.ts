import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from './route.ts';

const query = new URLSearchParams('watch=1&fieldSelector=a%3Db');
const tails = [
  '',
  '/',
  '/things',
  '/things/',
  '/things/a',
  '/things/a%20b',
  '/things/a%2Fstatus',
  '/things/a/',
  '/things/a/status',
  '/things/a/proxy/x/y',
  '/namespaces',
  '/namespaces/n',
  '/namespaces/n/',
  '/namespaces/n/status',
  '/namespaces/n/finalize',
  '/namespaces/n/things',
  '/namespaces/n/things/',
  '/namespaces/n/things/a',
  '/namespaces/n/things/status',
  '/namespaces/n/things/a/status',
  '/namespaces/n/namespaces/a',
  '/namespaces/n/watch/a',
  '/namespaces//things/a',
  '/namespaces/n%20m/things/a',
  '/watch',
  '/watch/things',
  '/watch/things/a',
  '/watch/namespaces/n/things/a',
  '/things//status',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** What each path of a group is read as, in an order in which nothing is known of it, or after all of it was read once. */
function routes(group: string, order: readonly string[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const method of methods) {
    for (const tail of order) {
      const route = routeOf(method, `/apis/${group}/v1${tail}`, query);
      found.set(`${method} ${tail}`, JSON.parse(JSON.stringify(route).replaceAll(group, 'GROUP')));
    }
  }
  return found;
}

test('routeOf reads a path alike whether it knows the collection or not', () => {
  // Each path in a group of its own: nothing was remembered that it could be read by.
  const unknown = new Map(
    tails.flatMap((tail, index) => methods.flatMap((method) => [...routes(`g${index}-${method}`, [tail])])),
  );
  for (const order of [tails, tails.toReversed()]) {
    const group = `h${order[0]!.length}`;
    routes(group, order);
    for (const [key, route] of routes(group, order)) assert.deepEqual(route, unknown.get(key), key);
  }
});

test('routeOf tells collections, objects and subresources apart', () => {
  const attributes = (path: string) => {
    const { verb, resource, subresource, namespace, name } = routeOf('GET', path, new URLSearchParams()).attributes;
    return [verb, namespace, resource, name, subresource].join('|');
  };
  for (let round = 0; round < 2; round += 1) {
    assert.equal(attributes('/api/v1/namespaces/n/pods'), 'list|n|pods||');
    assert.equal(attributes('/api/v1/namespaces/n/pods/a'), 'get|n|pods|a|');
    assert.equal(attributes('/api/v1/namespaces/n/pods/a/status'), 'get|n|pods|a|status');
    assert.equal(attributes('/api/v1/namespaces/n'), 'get|n|namespaces|n|');
    assert.equal(attributes('/api/v1/watch/pods'), 'watch||pods||');
    assert.equal(attributes('/api/v1/pods'), 'list||pods||');
  }
});
