import { CSIStorageCapacity } from '../../generated/types/storage/v1.ts';
import { define } from '../define.ts';

export const csiStorageCapacity = define(CSIStorageCapacity, {
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
});
