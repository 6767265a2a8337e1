import { createHash } from 'node:crypto';
import { mergedOpenApiV2, type OpenApiV2Part } from './merge.ts';
import { openApiHash, openApiV3Parts, type GroupVersions } from './parts.ts';
import { openApiV2 } from './v2.ts';
import { openApiV2Protobuf } from './v2-protobuf.ts';
import { openApiV3, type OpenApiV3Part } from './v3.ts';
import { openApiV3Protobuf } from './v3-protobuf.ts';

export type OpenApiForm = 'json' | 'protobuf';

/** The bodies that a server answers below `/openapi`. */
export interface OpenApiDocuments {
  /** The documents of `/openapi/v3` with their hashes, by their path; sorted. */
  v3Index(): ReadonlyMap<string, string>;
  /** `/openapi/v3/apis/apps/v1`: what follows `/openapi/v3/`. Undefined where nothing is served there. */
  v3(path: string, form: OpenApiForm): OpenApiDocument | undefined;
  /** `/openapi/v2`; client-go reads it only as protobuf. */
  v2(form: OpenApiForm): OpenApiDocument;
}

export interface OpenApiDocument {
  readonly bytes: Uint8Array;
  /** For the answer. Clients ask for protobuf with an `@` in the name, which no media type may have: they get a dot. */
  readonly contentType: string;
  /** Changes with the content: the `hash` of the index' addresses, and an etag. */
  readonly hash: string;
}

export interface OpenApiOptions {
  /** Of Kubernetes, as documents name it: `1.37`. */
  readonly release: string;
  /** Changes when `groupVersions` does. */
  readonly generation: () => number | string;
  /** What is served now, custom resources included. */
  readonly groupVersions: () => GroupVersions;
  /** Paths of the server's plain documents: `/openid/v1/jwks`. */
  readonly plainPaths: readonly string[];
  /** What other servers publish, merged into version 2; `tag` changes with it. */
  readonly others?: (() => { readonly tag: string; readonly parts: readonly OpenApiV2Part[] }) | undefined;
}

interface Current {
  readonly generation: number | string;
  readonly parts: ReadonlyMap<string, OpenApiV3Part>;
  readonly hashes: Map<string, string>;
}

/**
 * Makes documents when they are asked for. They are large and seldom read, so they are held weakly: an idle server keeps
 * none. A document is made again only after what it describes has changed, or memory was short.
 */
export function createOpenApiDocuments(options: OpenApiOptions): OpenApiDocuments {
  const { release } = options;
  const cache = new Map<string, { readonly hash: string; readonly bytes: WeakRef<Uint8Array> }>();
  let current: Current | undefined;

  const now = (): Current => {
    const generation = options.generation();
    if (current?.generation !== generation) {
      const parts = openApiV3Parts(options.groupVersions(), options.plainPaths);
      current = { generation, parts, hashes: new Map() };
    }
    return current;
  };
  const hashOf = ({ parts, hashes }: Current, path: string): string => {
    const known = hashes.get(path);
    if (known) return known;
    const hash = openApiHash(path === '' ? parts : [[path, parts.get(path)!]], release);
    hashes.set(path, hash);
    return hash;
  };
  const cached = (key: string, hash: string, contentType: string, make: () => Uint8Array): OpenApiDocument => {
    const entry = cache.get(key);
    const known = entry?.hash === hash ? entry.bytes.deref() : undefined;
    const bytes = known ?? make();
    if (!known) cache.set(key, { hash, bytes: new WeakRef(bytes) });
    return { bytes, contentType, hash };
  };

  return {
    v3Index() {
      const state = now();
      return new Map([...state.parts.keys()].map((path) => [path, hashOf(state, path)]));
    },
    v3(path, form) {
      const state = now();
      const part = state.parts.get(path);
      if (!part) return undefined;
      return cached(`v3 ${form} ${path}`, hashOf(state, path), contentTypes.v3[form], () => {
        const document = openApiV3(part, release);
        return form === 'json' ? json(document) : openApiV3Protobuf(document);
      });
    },
    v2(form) {
      const state = now();
      const others = options.others?.() ?? { tag: '', parts: [] };
      const own = hashOf(state, '');
      const hash = others.tag ? sha512(own + others.tag) : own;
      return cached(`v2 ${form}`, hash, contentTypes.v2[form], () => {
        const resources = [...state.parts.values()].flatMap((part) => part.resources);
        const alone = openApiV2(resources, options);
        const document = others.parts.length > 0 ? mergedOpenApiV2(alone, others.parts) : alone;
        return form === 'json' ? json(document) : openApiV2Protobuf(document);
      });
    },
  };
}

const contentTypes = {
  v2: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  v3: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' },
} as const;

const sha512 = (text: string) => createHash('sha512').update(text).digest('hex').toUpperCase();

const json = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8');
