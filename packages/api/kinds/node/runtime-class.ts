import { RuntimeClass } from '../../generated/types/node/v1.ts';
import { define } from '../define.ts';

export const runtimeClass = define(RuntimeClass);
