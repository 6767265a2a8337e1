// Generated from the facts by packages/api/generate; never edited.
import type { ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Endpoint {
  addresses: string[];
  conditions: EndpointConditions;
  hostname?: string | undefined;
  targetRef?: ObjectReference | undefined;
  deprecatedTopology?: { [key: string]: string } | undefined;
  nodeName?: string | undefined;
  zone?: string | undefined;
  hints?: EndpointHints | undefined;
}

export interface EndpointConditions {
  ready?: boolean | undefined;
  serving?: boolean | undefined;
  terminating?: boolean | undefined;
}

export interface EndpointHints {
  forZones?: ForZone[] | undefined;
  forNodes?: ForNode[] | undefined;
}

export interface EndpointPort {
  name?: string | undefined;
  protocol?: "SCTP" | "TCP" | "UDP" | undefined;
  port?: number | undefined;
  appProtocol?: string | undefined;
}

export interface EndpointSlice {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  addressType: "FQDN";
  endpoints: Endpoint[];
  ports: EndpointPort[];
}

export interface EndpointSliceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: EndpointSlice[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
