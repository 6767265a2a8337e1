import { registry } from '../define.ts';
import { storageVersion } from './storage-version.ts';

export const internalKinds = registry(storageVersion);
