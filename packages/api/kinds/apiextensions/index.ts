import { registry } from '../define.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

export const apiextensionsKinds = registry(customResourceDefinition);
