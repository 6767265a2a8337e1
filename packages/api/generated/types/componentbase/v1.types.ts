// Generated from the facts by packages/api/generate; never edited.

export interface TracingConfiguration {
  endpoint?: string | undefined;
  samplingRatePerMillion?: number | undefined;
}
