import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversionOf } from './conversion.ts';
import type { ApiObject } from './storage/encoding.ts';

const beta = 'resource.k8s.io/v1beta1';
const of = (plural: string, spec: object) => {
  const conversion = conversionOf('resource.k8s.io', 'v1beta1', plural)!;
  const object = { apiVersion: beta, metadata: { name: 'a' }, spec } as unknown as ApiObject;
  const stored = conversion.toStored(object);
  return { object, stored, read: conversion.fromStored(stored, beta) };
};

test('conversionOf keeps claims of v1beta1 as v1, and gives them back', () => {
  const requests = [
    { name: 'one', deviceClassName: 'c', allocationMode: 'All' },
    { name: 'any', deviceClassName: '', firstAvailable: [{ name: 's', deviceClassName: 'c' }] },
  ];
  const { object, stored, read } = of('resourceclaims', { devices: { requests } });
  assert.equal(stored.apiVersion, 'resource.k8s.io/v1');
  const exactly = { deviceClassName: 'c', allocationMode: 'All' };
  assert.deepEqual(stored['spec'], {
    devices: {
      requests: [
        { name: 'one', exactly },
        { name: 'any', firstAvailable: requests[1]?.firstAvailable },
      ],
    },
  });
  assert.deepEqual(read, object);
});

test('conversionOf keeps devices of v1beta1 without their inner level', () => {
  const spec = {
    driver: 'd.example.com',
    devices: [
      { name: 'a', basic: { allNodes: true } },
      { name: 'b', basic: {} },
    ],
  };
  const { object, stored, read } = of('resourceslices', spec);
  assert.deepEqual(stored['spec'], { ...spec, devices: [{ name: 'a', allNodes: true }, { name: 'b' }] });
  assert.deepEqual(read, object);
});
