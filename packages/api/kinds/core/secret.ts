import { Secret } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const secret = define(Secret);
