import { claimAsV1, claimAsV1beta1, sliceAsV1, sliceAsV1beta1, templateAsV1, templateAsV1beta1 } from '@kubernode/api';
import type { Conversion } from '../conversion.ts';
import type { ApiObject } from '../storage/encoding.ts';

const group = 'resource.k8s.io';

type Convert = (object: never) => unknown;

/** resource.k8s.io/v1beta1 ↔ v1; what is between them is v1 in all but its name. */
export const deviceConversions: readonly (readonly [string, Conversion])[] = [
  conversion('resourceclaims', claimAsV1, claimAsV1beta1),
  conversion('resourceclaimtemplates', templateAsV1, templateAsV1beta1),
  conversion('resourceslices', sliceAsV1, sliceAsV1beta1),
];

function conversion(plural: string, toV1: Convert, fromV1: Convert): [string, Conversion] {
  const toStored = (object: ApiObject): ApiObject => ({
    ...(toV1(object as never) as ApiObject),
    apiVersion: `${group}/v1`,
  });
  const fromStored = (object: ApiObject, apiVersion: string): ApiObject =>
    object.apiVersion === apiVersion ? object : { ...(fromV1(object as never) as ApiObject), apiVersion };
  return [
    `${group}/v1beta1/${plural}`,
    {
      storedGroup: group,
      storedPlural: plural,
      toStored,
      fromStored,
      throughStorage: (object) => fromStored(toStored(object), `${group}/v1beta1`),
    },
  ];
}
