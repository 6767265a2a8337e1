import type { KubernetesObject } from '@kubernode/api';
import type { ClusterState } from '../../seams.ts';

interface Entry<Compiled> {
  readonly object: KubernetesObject;
  readonly made: Compiled;
}

/** What is configured of one kind, made ready when it is first asked for after a change. */
export class CompiledObjects<Compiled> {
  readonly #state: ClusterState;
  readonly #resource: string;
  readonly #compile: (object: KubernetesObject) => Compiled;
  #compiled = new Map<string, Entry<Compiled>>();
  #list: readonly Compiled[] | undefined;

  /** `resource`: of admissionregistration.k8s.io. */
  constructor(state: ClusterState, resource: string, compile: (object: KubernetesObject) => Compiled) {
    this.#state = state;
    this.#resource = resource;
    this.#compile = compile;
    state.onChange(group, resource, () => {
      this.#list = undefined;
    });
  }

  /** By their names. What did not change is not made anew. */
  get all(): readonly Compiled[] {
    return (this.#list ??= this.#refresh());
  }

  #refresh(): readonly Compiled[] {
    const objects = [...this.#state.list(group, this.#resource)];
    objects.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const compiled = new Map<string, Entry<Compiled>>();
    for (const object of objects) {
      const known = this.#compiled.get(object.metadata.name);
      const isSame = known?.object.metadata.resourceVersion === object.metadata.resourceVersion && known !== undefined;
      compiled.set(object.metadata.name, isSame ? known : { object, made: this.#compile(object) });
    }
    this.#compiled = compiled;
    return [...compiled.values()].map(({ made }) => made);
  }
}

const group = 'admissionregistration.k8s.io';
