// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type LocalSubjectAccessReview = types.LocalSubjectAccessReview;
export const LocalSubjectAccessReview = kind<LocalSubjectAccessReview>({"group":"authorization.k8s.io","version":"v1","kind":"LocalSubjectAccessReview","plural":"localsubjectaccessreviews","namespaced":true});
export type SelfSubjectAccessReview = types.SelfSubjectAccessReview;
export const SelfSubjectAccessReview = kind<SelfSubjectAccessReview>({"group":"authorization.k8s.io","version":"v1","kind":"SelfSubjectAccessReview","plural":"selfsubjectaccessreviews","namespaced":false});
export type SelfSubjectRulesReview = types.SelfSubjectRulesReview;
export const SelfSubjectRulesReview = kind<SelfSubjectRulesReview>({"group":"authorization.k8s.io","version":"v1","kind":"SelfSubjectRulesReview","plural":"selfsubjectrulesreviews","namespaced":false});
export type SubjectAccessReview = types.SubjectAccessReview;
export const SubjectAccessReview = kind<SubjectAccessReview>({"group":"authorization.k8s.io","version":"v1","kind":"SubjectAccessReview","plural":"subjectaccessreviews","namespaced":false});
