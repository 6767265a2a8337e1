import type { ControllerDeclaration, ControllerDependencies } from '@kubernode/client';
import type { Component } from '@kubernode/machinery';

/** What a controller that is more than one reconciled kind is handed. */
export interface ControllerContext extends ControllerDependencies {
  readonly rootCa?: string | undefined;
  readonly clusterCidr?: string | undefined;
}

/** A declaration, or, for one that needs more than that, a way to start it. */
export type BuiltInController =
  | ControllerDeclaration
  | { readonly name: string; readonly start: (context: ControllerContext) => Component };

/** A declaration among others: the kind that it reconciles is its own business. */
export function declared<T>(declaration: ControllerDeclaration<T>): BuiltInController {
  return declaration as unknown as ControllerDeclaration;
}
