/** kubectl and a CustomResourceDefinition: its rules, columns, subresources, documentation, and its end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestCluster, type Arguments, type TestMachine } from './harness.ts';
import type { RunOptions } from './process.ts';

let cluster: TestMachine;
const out = (args: Arguments, options?: RunOptions) => cluster.kubectlOutput(args, options);
const json = (object: object) => ({ stdin: JSON.stringify(object) });

const integer = { type: 'integer', minimum: 0 };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fleets.e2e.example.com' },
  spec: {
    group: 'e2e.example.com',
    scope: 'Namespaced',
    names: { plural: 'fleets', singular: 'fleet', kind: 'Fleet', shortNames: ['fl'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'Fleet is a number of ships.',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { ...integer, default: 1, description: 'How many ships sail.' },
                  max: { ...integer, default: 5 },
                },
                'x-kubernetes-validations': [{ rule: 'self.replicas <= self.max', message: 'too many ships' }],
              },
              status: { type: 'object', properties: { replicas: integer } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Sailing', type: 'integer', jsonPath: '.status.replicas' },
        ],
      },
    ],
  },
};
const fleet = (name: string, spec: object) => ({
  apiVersion: 'e2e.example.com/v1',
  kind: 'Fleet',
  metadata: { name },
  spec,
});

before(async () => {
  cluster = await startTestCluster();
  await cluster.apply(definition);
  await out('wait --for=condition=Established crd/fleets.e2e.example.com --timeout=20s');
});
after(() => cluster?.stop());

test('kubectl apply: good custom objects are kept, bad ones are refused by their rule', async () => {
  assert.equal(await out('apply -f -', json(fleet('north', { replicas: 2 }))), 'fleet.e2e.example.com/north created\n');
  const bad = await cluster.kubectl('apply -f -', json(fleet('south', { replicas: 9 })));
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /The Fleet "south" is invalid: spec: Invalid value: .*too many ships/);
});

test('kubectl get, scale and patch: columns, scale and status of a custom object', async () => {
  await out('scale fleet north --replicas=3');
  await out(['patch', 'fleet', 'north', '--subresource=status', '--type=merge', '-p', '{"status":{"replicas":3}}']);
  const table = await out('get fl');
  assert.match(table, /^NAME +WANTED +SAILING\nnorth +3 +3\n$/);
  const tooMany = await cluster.kubectl('scale fleet north --replicas=6');
  assert.match(tooMany.stderr, /too many ships/);
});

test('kubectl explain tells what the schema says', async () => {
  assert.match(await out('explain fleet'), /Fleet is a number of ships\./);
  assert.match(await out('explain fleet.spec.replicas'), /How many ships sail\./);
});

test('kubectl delete crd: its objects go, and then it', async () => {
  await out('delete crd fleets.e2e.example.com --timeout=30s');
  const gone = await cluster.kubectl('get fleets');
  // kubectl still has the resource in its cache of what the server serves.
  assert.match(gone.stderr, /the server could not find the requested resource/);
  await cluster.apply(definition);
  await out('wait --for=condition=Established crd/fleets.e2e.example.com --timeout=20s');
  assert.match((await cluster.kubectl('get fleets')).stderr, /No resources found/);
});
