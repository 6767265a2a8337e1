import { PodGroup } from '../../generated/types/scheduling/v1beta1.ts';
import { PodGroup as PodGroupv1alpha3 } from '../../generated/types/scheduling/v1alpha3.ts';
import { defineVersions } from '../define.ts';

export const podGroup = defineVersions([PodGroup, PodGroupv1alpha3]);
