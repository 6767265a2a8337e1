import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheme } from '../scheme.ts';
import { createOpenApiDocuments } from './documents.ts';
import type { OpenApiResource } from './operations.ts';

const apps = scheme.resources.filter((info) => info.group === 'apps');
const groupVersion = { group: 'apps', version: 'v1' };

test('createOpenApiDocuments makes a document once, until what it describes changes', () => {
  let served: OpenApiResource[] = apps;
  let generation = 0;
  const documents = createOpenApiDocuments({
    release: '1.37',
    generation: () => generation,
    groupVersions: () => new Map([[groupVersion, served]]),
    plainPaths: ['/openid/v1/jwks'],
  });
  const before = documents.v3('apis/apps/v1', 'json');
  assert.equal(documents.v3('apis/apps/v1', 'json')?.bytes, before?.bytes);
  const paths = ['api', 'apis', 'apis/apps', 'apis/apps/v1', 'openid/v1/jwks', 'version'];
  assert.deepEqual([...documents.v3Index().keys()], paths);
  assert.equal(documents.v3Index().get('apis/apps/v1'), before?.hash);
  assert.match(before?.hash ?? '', /^[0-9A-F]{128}$/);
  const group = documents.v3('apis/apps', 'json')?.hash;
  served = apps.slice(1);
  generation += 1;
  assert.notEqual(documents.v3('apis/apps/v1', 'json')?.hash, before?.hash);
  assert.equal(documents.v3('apis/apps', 'json')?.hash, group);
  assert.equal(documents.v3('apis/none/v1', 'json'), undefined);
  assert.equal(documents.v2('protobuf').contentType, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  assert.notDeepEqual(documents.v2('json').bytes, documents.v2('protobuf').bytes);
});
