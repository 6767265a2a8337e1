import { registry } from '../define.ts';
import { apiService } from './api-service.ts';

export const apiregistrationKinds = registry(apiService);
