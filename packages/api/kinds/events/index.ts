import { registry } from '../define.ts';
import { event } from './event.ts';

export const eventsKinds = registry(event);
