import { DaemonSet } from '../../generated/types/apps/v1.ts';
import { define } from '../define.ts';

export const daemonSet = define(DaemonSet);
