import { Endpoints } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const endpoints = define(Endpoints);
