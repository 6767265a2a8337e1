import { CompositePodGroup } from '../../generated/types/scheduling/v1alpha3.ts';
import { define } from '../define.ts';

export const compositePodGroup = define(CompositePodGroup);
