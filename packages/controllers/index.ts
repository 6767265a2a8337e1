export { startControllers, type ControllersOptions } from './start.ts';
