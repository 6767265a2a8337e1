// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type SelfSubjectReview = types.SelfSubjectReview;
export const SelfSubjectReview = kind<SelfSubjectReview>({"group":"authentication.k8s.io","version":"v1","kind":"SelfSubjectReview","plural":"selfsubjectreviews","namespaced":false});
export type TokenReview = types.TokenReview;
export const TokenReview = kind<TokenReview>({"group":"authentication.k8s.io","version":"v1","kind":"TokenReview","plural":"tokenreviews","namespaced":false});
