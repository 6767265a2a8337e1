import { Deployment } from '../../generated/types/apps/v1.ts';
import { define } from '../define.ts';

export const deployment = define(Deployment);
