import { CSINode } from '../../generated/types/storage/v1.ts';
import { define } from '../define.ts';

export const csiNode = define(CSINode);
