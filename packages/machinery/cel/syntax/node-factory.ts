import {
  accumulatorName,
  type ComprehensionExpression,
  type Expression,
  type ListExpression,
  type MapEntry,
  type StructField,
} from './ast.ts';
import { SyntaxFault } from './syntax-error.ts';
import type { CelValue } from '../values.ts';

/** The deepest tree, as upstream's parser limits it. */
const depthMax = 250;

/** Makes the nodes of one expression, each with its own id. */
export class NodeFactory {
  #id = 0;
  /** How deep the tree is below chains of operators, selections and calls, by the id of their last node. */
  readonly #heights = new Map<number, number>();

  /** Notes a node above others. Throws `SyntaxFault` where the tree becomes too deep. */
  #above<T extends Expression>(node: T, operands: readonly Expression[]): T {
    let height = 1;
    for (const { id } of operands) height = Math.max(height, this.#heights.get(id) ?? 1);
    if (height > depthMax) throw new SyntaxFault({ at: -1, message: 'max recursion depth exceeded' });
    this.#heights.set(node.id, height + 1);
    return node;
  }

  nextId(): number {
    return ++this.#id;
  }

  literal(at: number, value: CelValue): Expression {
    return { kind: 'literal', id: this.nextId(), at, value };
  }

  ident(at: number, name: string): Expression {
    return { kind: 'ident', id: this.nextId(), at, name };
  }

  accumulator(at: number): Expression {
    return this.ident(at, accumulatorName);
  }

  select(at: number, operand: Expression, field: string, testOnly = false): Expression {
    return this.#above({ kind: 'select', id: this.nextId(), at, operand, field, testOnly }, [operand]);
  }

  call(at: number, name: string, values: readonly Expression[], target?: Expression): Expression {
    const call = { kind: 'call', id: this.nextId(), at, function: name, arguments: values } as const;
    return target === undefined ? this.#above(call, values) : this.#above({ ...call, target }, [target, ...values]);
  }

  list(at: number, elements: ListExpression['elements']): Expression {
    return { kind: 'list', id: this.nextId(), at, elements };
  }

  map(at: number, entries: readonly MapEntry[]): Expression {
    return { kind: 'map', id: this.nextId(), at, entries };
  }

  struct(at: number, name: string, fields: readonly StructField[]): Expression {
    return { kind: 'struct', id: this.nextId(), at, name, fields };
  }

  comprehension(parts: Omit<ComprehensionExpression, 'kind' | 'id'>): Expression {
    return this.#above({ kind: 'comprehension', id: this.nextId(), ...parts }, [parts.range]);
  }
}
