import { CustomResourceDefinition } from '../../generated/types/apiextensions/v1.ts';
import { define } from '../define.ts';

export const customResourceDefinition = define(CustomResourceDefinition);
