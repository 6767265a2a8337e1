import { Event } from '../../generated/types/events/v1.ts';
import { define } from '../define.ts';

export const event = define(Event);
