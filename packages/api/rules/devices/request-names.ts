import type { DeviceRequest } from '../../generated/types/resource/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';
import { shortName } from './names.ts';

const detail = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The names by which a claim's requests and their alternatives can be referred to: `gpu`, `gpu/small`. */
export class RequestNames {
  readonly #names: ReadonlySet<string>;

  constructor(requests: readonly DeviceRequest[] | undefined) {
    this.#names = new Set(
      (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
        name,
        ...firstAvailable.map((one) => `${name}/${one.name}`),
      ]),
    );
  }

  reference(name: string, path: string): readonly FieldCause[] {
    const segments = name.split('/');
    if (segments.length > 2) return [invalid(path, name, detail)];
    const found = segments.flatMap((segment) => shortName(segment, path));
    return this.#names.has(name) ? found : [...found, invalid(path, name, detail)];
  }

  references(names: readonly string[], path: string): readonly FieldCause[] {
    return names.flatMap((name, index) => this.reference(name, `${path}[${index}]`));
  }
}
