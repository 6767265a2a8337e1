/** Stands in the place of a stored value that nobody can read: no key fits it, or it is not an object of this server. */
export class UnreadableValue extends Uint8Array {
  /** What is wrong, with its cause. */
  readonly why: string;

  constructor(why: string) {
    super(0);
    this.why = why;
  }
}

/** An object of which nothing is known but where it is, and why it cannot be read. */
export interface LostObject {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** No key fits; otherwise it was read, and made no sense. */
  readonly isEncrypted: boolean;
  readonly why: string;
}
