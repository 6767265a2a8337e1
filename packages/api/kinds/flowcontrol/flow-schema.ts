import { FlowSchema } from '../../generated/types/flowcontrol/v1.ts';
import { define } from '../define.ts';

export const flowSchema = define(FlowSchema);
