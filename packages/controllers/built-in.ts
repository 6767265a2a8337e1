import type { KeyPair } from '@kubernode/machinery/x509';
import type { ControllerDeclaration, ControllerDependencies } from '@kubernode/client';
import type { Component } from '@kubernode/machinery';

/** What a controller that is more than one reconciled kind is handed. */
export interface ControllerContext extends ControllerDependencies {
  readonly rootCa?: string | undefined;
  readonly clusterCidr?: string | undefined;
  readonly clusterCa?: KeyPair | undefined;
}

/** A declaration, or, for one that needs more than that, a way to start it. */
export type BuiltInController = Identity &
  (ControllerDeclaration | { readonly name: string; readonly start: (context: ControllerContext) => Component });

/** As whom a controller acts and speaks, where that is not its name. */
interface Identity {
  /** In `kube-system`: whose RBAC rules it has. Null: it acts as the controller manager itself. */
  readonly serviceAccount?: string | null | undefined;
  /** The component of its events. */
  readonly eventSource?: string | undefined;
}

/** A declaration among others: the kind that it reconciles is its own business. */
export function declared<T>(declaration: ControllerDeclaration<T>, identity: Identity = {}): BuiltInController {
  return { ...(declaration as unknown as ControllerDeclaration), ...identity };
}
