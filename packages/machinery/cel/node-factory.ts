import {
  accumulatorName,
  type ComprehensionExpression,
  type Expression,
  type ListExpression,
  type MapEntry,
  type StructField,
} from './ast.ts';
import type { CelValue } from './values.ts';

/** Makes the nodes of one expression, each with its own id. */
export class NodeFactory {
  #id = 0;

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
    return { kind: 'select', id: this.nextId(), at, operand, field, testOnly };
  }

  call(at: number, name: string, values: readonly Expression[], target?: Expression): Expression {
    const call = { kind: 'call', id: this.nextId(), at, function: name, arguments: values } as const;
    return target === undefined ? call : { ...call, target };
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
    return { kind: 'comprehension', id: this.nextId(), ...parts };
  }
}
