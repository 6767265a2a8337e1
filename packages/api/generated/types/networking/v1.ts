// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type IngressClass = types.IngressClass;
export const IngressClass = kind<IngressClass>({"group":"networking.k8s.io","version":"v1","kind":"IngressClass","plural":"ingressclasses","namespaced":false});
export type Ingress = types.Ingress;
export const Ingress = kind<Ingress>({"group":"networking.k8s.io","version":"v1","kind":"Ingress","plural":"ingresses","namespaced":true});
export type IPAddress = types.IPAddress;
export const IPAddress = kind<IPAddress>({"group":"networking.k8s.io","version":"v1","kind":"IPAddress","plural":"ipaddresses","namespaced":false});
export type NetworkPolicy = types.NetworkPolicy;
export const NetworkPolicy = kind<NetworkPolicy>({"group":"networking.k8s.io","version":"v1","kind":"NetworkPolicy","plural":"networkpolicies","namespaced":true});
export type ServiceCIDR = types.ServiceCIDR;
export const ServiceCIDR = kind<ServiceCIDR>({"group":"networking.k8s.io","version":"v1","kind":"ServiceCIDR","plural":"servicecidrs","namespaced":false});
