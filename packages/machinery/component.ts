/** A running part of the cluster: what starts it resolves once it does its work, and `stop` ends all that it began. */
export interface Component {
  readonly name: string;
  /** Resolves when no timer, watch, socket or child process of the component is left. Idempotent. */
  stop(): Promise<void>;
}
