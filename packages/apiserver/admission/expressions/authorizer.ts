import type { User } from '@kubernode/api';
import {
  authorizerValue,
  resourceCheckValue,
  type AuthorizationAnswer,
  type AuthorizationQuery,
  type Authorize,
} from '@kubernode/machinery/cel';
import { userNamed } from '../../authentication/groups.ts';
import type { AdmissionRequest, Authorizer, Decision } from '../../seams.ts';

/** Thrown by an expression that asks what cannot be answered at once. */
class PendingError extends Error {}

/**
 * What `authorizer` answers expressions of one request: the same question is asked once. An authorizer that has to wait
 * (a webhook) interrupts the expression; `settled` runs it again when the answer is there.
 */
export class ExpressionAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #request: AdmissionRequest;
  readonly #answers = new Map<string, AuthorizationAnswer>();
  #pending: Promise<void> | undefined;

  constructor(authorizer: Authorizer, request: AdmissionRequest) {
    this.#authorizer = authorizer;
    this.#request = request;
  }

  /** The variables of expressions. */
  get bindings(): Readonly<Record<string, unknown>> {
    const { group, resource, subresource, namespace } = this.#request.attributes;
    const name = this.#request.review?.name ?? this.#request.attributes.name;
    const own = { group, resource, subresource, namespace: this.#request.review?.namespace ?? namespace, name };
    return {
      authorizer: authorizerValue(this.#authorize),
      'authorizer.requestResource': resourceCheckValue(this.#authorize, own),
    };
  }

  /** Runs what evaluates expressions, again whenever it had to wait. */
  async settled<T>(run: () => T): Promise<T> {
    for (;;) {
      this.#pending = undefined;
      let result: { readonly value: T } | undefined;
      let failure: unknown;
      try {
        result = { value: run() };
      } catch (error) {
        failure = error;
      }
      const pending = this.#pending as Promise<void> | undefined;
      if (!pending && result) return result.value;
      if (!pending) throw failure;
      await pending;
    }
  }

  readonly #authorize: Authorize = (query) => {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (known) return known;
    const decided = this.#authorizer(userOf(query, this.#request.user), attributesOf(query));
    if (!(decided instanceof Promise)) {
      const answer = answerOf(decided);
      this.#answers.set(key, answer);
      return answer;
    }
    this.#pending = decided.then(
      (decision) => void this.#answers.set(key, answerOf(decision)),
      (error: Error) => void this.#answers.set(key, { allowed: false, reason: '', error: error.message }),
    );
    throw new PendingError('waits for an authorizer');
  };
}

function answerOf(decision: Decision): AuthorizationAnswer {
  const { allowed, reason = '' } = decision;
  return 'error' in decision && decision.error ? { allowed, reason, error: decision.error } : { allowed, reason };
}

function userOf({ serviceAccount }: AuthorizationQuery, user: User): User {
  return serviceAccount ? userNamed(`system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`) : user;
}

function attributesOf(query: AuthorizationQuery) {
  const { verb, path = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = query;
  const { fieldSelector, labelSelector } = query;
  const version = path ? '' : '*';
  return { verb, path, group, version, resource, subresource, namespace, name, fieldSelector, labelSelector };
}
