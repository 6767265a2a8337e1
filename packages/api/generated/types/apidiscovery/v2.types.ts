// Generated from the facts by packages/api/generate; never edited.
import type { GroupVersionKind, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface APIGroupDiscovery {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  versions?: APIVersionDiscovery[] | undefined;
}

export interface APIGroupDiscoveryList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource: string;
  responseKind?: GroupVersionKind | undefined;
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[] | undefined;
  categories?: string[] | undefined;
  subresources?: APISubresourceDiscovery[] | undefined;
}

export interface APISubresourceDiscovery {
  subresource: string;
  responseKind?: GroupVersionKind | undefined;
  acceptedTypes?: GroupVersionKind[] | undefined;
  verbs: string[];
}

export interface APIVersionDiscovery {
  version: string;
  resources?: APIResourceDiscovery[] | undefined;
  freshness?: string | undefined;
}
