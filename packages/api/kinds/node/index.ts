import { registry } from '../define.ts';
import { runtimeClass } from './runtime-class.ts';

export const nodeKinds = registry(runtimeClass);
