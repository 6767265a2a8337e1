import { StorageVersion } from '../../generated/types/internal/v1alpha1.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

export const storageVersion = define(StorageVersion, {
  row: (object, nowMs) => [
    object.metadata.name,
    object.status.commonEncodingVersion ?? unsetCell,
    (object.status.storageVersions ?? [])
      .map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`)
      .join(',') || unsetCell,
    age(object, nowMs),
  ],
});
