import { parseJsonExactly, withSortedKeys } from '@kubernode/machinery';
import { encodeJsonText } from '@kubernode/api';
import type { KubernetesObject } from '@kubernode/api';
import type { ApiObject } from '../../storage/encoding.ts';
import type { ReviewedVersion } from './reviewed-request.ts';

/** An object as it goes outside: its JSON, and the value of it. */
export interface View {
  readonly text: string;
  /** What the JSON says; made when first asked for, never to be changed. */
  readonly value: ApiObject;
}

/** The object and old object of a request in the versions that somebody asked for; one plugin's, for one round. */
export class Views {
  readonly #object: KubernetesObject | undefined;
  readonly #oldObject: KubernetesObject | undefined;
  #objects = new Map<ReviewedVersion, View | undefined>();
  readonly #oldObjects = new Map<ReviewedVersion, View | undefined>();

  constructor(object: KubernetesObject | undefined, oldObject: KubernetesObject | undefined) {
    this.#object = object;
    this.#oldObject = oldObject;
  }

  /** Converts both objects, once. Throws where that is not possible. */
  async prepare(version: ReviewedVersion): Promise<void> {
    if (!this.#objects.has(version)) this.#objects.set(version, await viewOf(this.#object, version));
    if (!this.#oldObjects.has(version)) this.#oldObjects.set(version, await viewOf(this.#oldObject, version));
  }

  /** Undefined for a DELETE. The version was prepared. */
  object(version: ReviewedVersion): View | undefined {
    return this.#objects.get(version);
  }

  /** Undefined for a CREATE. The version was prepared. */
  oldObject(version: ReviewedVersion): View | undefined {
    return this.#oldObjects.get(version);
  }

  /** The object was changed: what was made of it is no more. */
  forget(): void {
    this.#objects = new Map();
  }
}

async function viewOf(object: KubernetesObject | undefined, version: ReviewedVersion): Promise<View | undefined> {
  if (!object) return undefined;
  const shown = version.fromRequest(object as ApiObject);
  const printed = encodeJsonText(shown instanceof Promise ? await shown : shown, version.shape);
  const text = version.sortsKeys ? JSON.stringify(withSortedKeys(parseJsonExactly(printed))) : printed;
  let value: ApiObject | undefined;
  return {
    text,
    get value() {
      value ??= parseJsonExactly(text) as ApiObject;
      return value;
    },
  };
}
