import { ResourceSlice } from '../../generated/types/resource/v1.ts';
import { ResourceSlice as ResourceSlicev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceSlice as ResourceSlicev1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const resourceSlice = defineVersions([ResourceSlice, ResourceSlicev1beta2, ResourceSlicev1beta1]);
