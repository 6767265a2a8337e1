import { APIService } from '../../generated/types/apiregistration/v1.ts';
import { define } from '../define.ts';

export const apiService = define(APIService);
