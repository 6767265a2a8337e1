import { Binding } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const binding = define(Binding);
