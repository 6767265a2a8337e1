import { scheme, shapeOf } from '@kubernode/api';
import type { Client } from '@kubernode/client';
import { objectType, schemaType, type CelSchema, type CelType } from '@kubernode/machinery/cel';
import { shapeType } from './shape-type.ts';

export interface ResolvedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What expressions see of kinds; asked of the API where they are not built in. */
export interface KindTypes {
  /** Undefined where there is no such resource. */
  kindOf(group: string, version: string, resource: string): Promise<ResolvedKind | undefined>;
  /** Undefined where the API does not say. */
  typeOf(kind: ResolvedKind): Promise<CelType | undefined>;
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, DocumentSchema>> };
}

type DocumentSchema = CelSchema & {
  readonly 'x-kubernetes-group-version-kind'?: readonly ResolvedKind[];
};

export function kindTypes(client: Client): KindTypes {
  const get = async <T>(path: string): Promise<T | undefined> => {
    try {
      return await client.request<T>({ method: 'GET', path });
    } catch {
      return undefined; // What is not served says nothing.
    }
  };
  return {
    async kindOf(group, version, resource) {
      const known = scheme.byResource(group, version, resource);
      if (known) return { group, version, kind: known.kind.kind };
      if (group === '') return undefined;
      const list = await get<ResourceList>(`/apis/${group}/${version}`);
      const found = list?.resources.find(({ name }) => name === resource);
      return found && { group, version, kind: found.kind };
    },
    async typeOf(wanted) {
      const { group, version, kind } = wanted;
      const known = scheme.byKind(group ? `${group}/${version}` : version, kind);
      if (known) return shapeType(known.shape);
      const document = await get<Document>(`/openapi/v3/apis/${group}/${version}`);
      const schema = Object.values(document?.components?.schemas ?? {}).find((each) =>
        each['x-kubernetes-group-version-kind']?.some((one) => sameKind(one, wanted)),
      );
      return schema && withMetadata(schemaType(schema, true));
    },
  };
}

const sameKind = (a: ResolvedKind, b: ResolvedKind) =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;

/** The metadata of a custom resource is that of all others. */
function withMetadata(type: CelType | undefined): CelType | undefined {
  if (type?.kind !== 'object') return type;
  const fields = new Map(type.fields()).set('metadata', { type: shapeType(shapeOf('meta.k8s.io/v1.ObjectMeta')) });
  return objectType(type.name, () => fields);
}
