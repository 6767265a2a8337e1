// Generated from the facts by packages/api/generate; never edited.
import type { IntOrString } from '../../../scalars.ts';
import type { TypedLocalObjectReference } from '../core/v1.types.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface HTTPIngressPath {
  path?: string | undefined;
  pathType?: "Exact" | "ImplementationSpecific" | "Prefix" | undefined;
  backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

export interface IPAddress {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: IPAddressSpec;
}

export interface IPAddressList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: IPAddress[];
}

export interface IPAddressSpec {
  parentRef?: ParentReference | undefined;
}

export interface IPBlock {
  cidr: string;
  except?: string[] | undefined;
}

export interface Ingress {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: IngressSpec;
  status: IngressStatus;
}

export interface IngressBackend {
  service?: IngressServiceBackend | undefined;
  resource?: TypedLocalObjectReference | undefined;
}

export interface IngressClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: IngressClassSpec;
}

export interface IngressClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: IngressClass[];
}

export interface IngressClassParametersReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  scope?: string | undefined;
  namespace?: string | undefined;
}

export interface IngressClassSpec {
  controller?: string | undefined;
  parameters?: IngressClassParametersReference | undefined;
}

export interface IngressList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Ingress[];
}

export interface IngressLoadBalancerIngress {
  ip?: string | undefined;
  hostname?: string | undefined;
  ports?: IngressPortStatus[] | undefined;
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[] | undefined;
}

export interface IngressPortStatus {
  port: number;
  protocol: "SCTP" | "TCP" | "UDP";
  error?: string | undefined;
}

export interface IngressRule {
  host?: string | undefined;
  http?: HTTPIngressRuleValue | undefined;
}

export interface IngressRuleValue {
  http?: HTTPIngressRuleValue | undefined;
}

export interface IngressServiceBackend {
  name: string;
  port: ServiceBackendPort;
}

export interface IngressSpec {
  ingressClassName?: string | undefined;
  defaultBackend?: IngressBackend | undefined;
  tls?: IngressTLS[] | undefined;
  rules?: IngressRule[] | undefined;
}

export interface IngressStatus {
  loadBalancer: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[] | undefined;
  secretName?: string | undefined;
}

export interface NetworkPolicy {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[] | undefined;
  to?: NetworkPolicyPeer[] | undefined;
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[] | undefined;
  from?: NetworkPolicyPeer[] | undefined;
}

export interface NetworkPolicyList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: NetworkPolicy[];
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector | undefined;
  namespaceSelector?: LabelSelector | undefined;
  ipBlock?: IPBlock | undefined;
}

export interface NetworkPolicyPort {
  protocol?: "SCTP" | "TCP" | "UDP" | undefined;
  port?: IntOrString | undefined;
  endPort?: number | undefined;
}

export interface NetworkPolicySpec {
  podSelector: LabelSelector;
  ingress?: NetworkPolicyIngressRule[] | undefined;
  egress?: NetworkPolicyEgressRule[] | undefined;
  policyTypes?: ("Egress" | "Ingress")[] | undefined;
}

export interface ParentReference {
  group?: string | undefined;
  resource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}

export interface ServiceBackendPort {
  name?: string | undefined;
  number?: number | undefined;
}

export interface ServiceCIDR {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ServiceCIDRSpec;
  status: ServiceCIDRStatus;
}

export interface ServiceCIDRList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ServiceCIDR[];
}

export interface ServiceCIDRSpec {
  cidrs?: string[] | undefined;
}

export interface ServiceCIDRStatus {
  conditions?: Condition[] | undefined;
}
