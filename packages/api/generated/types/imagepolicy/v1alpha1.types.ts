// Generated from the facts by packages/api/generate; never edited.
import type { ObjectMeta } from '../meta/v1.types.ts';

export interface ImageReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ImageReviewSpec;
  status: ImageReviewStatus;
}

export interface ImageReviewContainerSpec {
  image?: string | undefined;
}

export interface ImageReviewSpec {
  containers?: ImageReviewContainerSpec[] | undefined;
  annotations?: { [key: string]: string } | undefined;
  namespace?: string | undefined;
}

export interface ImageReviewStatus {
  allowed: boolean;
  reason?: string | undefined;
  auditAnnotations?: { [key: string]: string } | undefined;
}
