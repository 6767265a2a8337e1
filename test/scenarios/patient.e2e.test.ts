/** The scenarios of test/recordings/scenarios that wait long. */
import { runScenarios } from './suite.ts';

runScenarios('patient');
