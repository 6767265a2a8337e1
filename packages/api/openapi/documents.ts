import type { OpenApiResource } from './operations.ts';
import { openApiV2 } from './v2.ts';
import { openApiV2Protobuf } from './v2-protobuf.ts';
import type { GroupVersion } from './v3.ts';
import { openApiHash, openApiV3, openApiV3Index, openApiV3Path } from './v3.ts';

/** The bodies that a server answers below `/openapi`. */
export interface OpenApiDocuments {
  /** `/openapi/v3`, as JSON. */
  v3Index(): Uint8Array;
  /** `/openapi/v3/apis/apps/v1`: what follows `/openapi/v3/`. Undefined where nothing is served there. */
  v3(path: string): OpenApiDocument | undefined;
  /** `/openapi/v2`; client-go reads it only as protobuf. */
  v2(form: 'json' | 'protobuf'): OpenApiDocument;
}

export interface OpenApiDocument {
  readonly bytes: Uint8Array;
  /** For the answer. Clients ask for protobuf with an `@` in the name, which no media type may have: they get a dot. */
  readonly contentType: string;
  /** Changes with the content: the `hash` of the index' addresses, and an etag. */
  readonly hash: string;
}

export interface OpenApiOptions {
  /** Of Kubernetes: `v1.37.1`. */
  readonly release: string;
  /** What is served now, custom resources included; asked for on every call. */
  readonly groupVersions: () => ReadonlyMap<GroupVersion, readonly OpenApiResource[]>;
}

/**
 * Makes documents when they are asked for. They are large and seldom read, so they are held weakly: an idle server keeps
 * none. A document is made again only after what it describes has changed, or memory was short.
 */
export function createOpenApiDocuments({ release, groupVersions }: OpenApiOptions): OpenApiDocuments {
  const cache = new Map<string, { readonly hash: string; readonly bytes: WeakRef<Uint8Array> }>();

  const cached = (key: string, hash: string, contentType: string, make: () => Uint8Array): OpenApiDocument => {
    const entry = cache.get(key);
    const known = entry?.hash === hash ? entry.bytes.deref() : undefined;
    const bytes = known ?? make();
    if (!known) cache.set(key, { hash, bytes: new WeakRef(bytes) });
    return { bytes, contentType, hash };
  };

  return {
    v3Index: () => json(openApiV3Index(groupVersions(), release)),
    v3(path) {
      const found = [...groupVersions()].find(([groupVersion]) => openApiV3Path(groupVersion) === path);
      if (!found) return undefined;
      const [groupVersion, resources] = found;
      const hash = openApiHash(resources, release);
      return cached(path, hash, jsonType, () => json(openApiV3(groupVersion, resources, release)));
    },
    v2(form) {
      const resources = [...groupVersions().values()].flat();
      const contentType = form === 'json' ? jsonType : protobufType;
      return cached(`v2 ${form}`, openApiHash(resources, release), contentType, () => {
        const document = openApiV2(resources, release);
        return form === 'json' ? json(document) : openApiV2Protobuf(document);
      });
    },
  };
}

const jsonType = 'application/json';
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const json = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8');
