/**
 * The scenarios of test/recordings/scenarios: what the reference answered, we answer.
 * SCENARIO=text runs only those whose names contain it.
 */
import { runScenarios } from './suite.ts';

runScenarios('quick');
