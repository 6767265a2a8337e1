import { storeConformance } from './conformance.ts';
import { memoryStore } from './memory.ts';

storeConformance('memoryStore', { open: async (_, options) => memoryStore(options) });
