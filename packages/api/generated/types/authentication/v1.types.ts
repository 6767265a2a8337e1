// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ObjectMeta } from '../meta/v1.types.ts';

export interface BoundObjectReference {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
}

export interface SelfSubjectReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  status: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo: UserInfo;
}

export interface TokenRequest {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: TokenRequestSpec;
  status: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences: string[];
  expirationSeconds?: number | undefined;
  boundObjectRef?: BoundObjectReference | undefined;
  attestations?: { [key: string]: string[] } | undefined;
}

export interface TokenRequestStatus {
  token: string;
  expirationTimestamp: Time;
}

export interface TokenReview {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: TokenReviewSpec;
  status: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token?: string | undefined;
  audiences?: string[] | undefined;
}

export interface TokenReviewStatus {
  authenticated?: boolean | undefined;
  user: UserInfo;
  audiences?: string[] | undefined;
  error?: string | undefined;
}

export interface UserInfo {
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  extra?: { [key: string]: string[] } | undefined;
}
