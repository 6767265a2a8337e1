import { autoscalerFromV2, autoscalerToV2 } from '@kubernode/api';
import type { ApiObject } from '../storage/encoding.ts';

/** autoscaling/v1 → v2. */
export const autoscalerToStored = (object: ApiObject): ApiObject =>
  object.apiVersion === 'autoscaling/v1' ? (autoscalerToV2(object as never) as unknown as ApiObject) : object;

/** v2 → autoscaling/v1. */
export const autoscalerFromStored = (object: ApiObject, apiVersion: string): ApiObject =>
  object.apiVersion === apiVersion ? object : (autoscalerFromV2(object as never) as unknown as ApiObject);
