import { StorageVersion } from '../../generated/types/internal/v1alpha1.ts';
import { define } from '../define.ts';

export const storageVersion = define(StorageVersion);
