import { registry } from '../define.ts';
import { priorityClass } from './priority-class.ts';
import { podGroup } from './pod-group.ts';
import { workload } from './workload.ts';
import { compositePodGroup } from './composite-pod-group.ts';

export const schedulingKinds = registry(priorityClass, podGroup, workload, compositePodGroup);
