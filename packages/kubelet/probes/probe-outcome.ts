/** What one probe saw; a probe that could not be run at all throws instead. */
export interface ProbeOutcome {
  readonly healthy: boolean;
  readonly output: string;
}
