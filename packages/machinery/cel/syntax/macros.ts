import { accumulatorName, type Expression } from './ast.ts';
import type { CelIssue } from '../errors.ts';
import type { NodeFactory } from './node-factory.ts';

interface MacroCall {
  readonly at: number;
  readonly name: string;
  readonly target: Expression | undefined;
  readonly values: readonly Expression[];
  readonly nodes: NodeFactory;
  /** Whether `cel.bind` is a macro. */
  readonly bindings: boolean;
}

type Expansion = Expression | CelIssue | undefined;

/**
 * What a call that is a macro becomes; undefined when it is an ordinary call, an issue when a macro is misused.
 * The shapes are upstream's (cel-go, parser/macro.go and ext), for costs are counted on them.
 */
export function expandMacro(call: MacroCall): Expansion {
  const { name, target, values } = call;
  if (target === undefined) return name === 'has' && values.length === 1 ? expandHas(call) : undefined;
  if (call.bindings && name === 'bind' && values.length === 3 && target.kind === 'ident' && target.name === 'cel') {
    return expandBind(call);
  }
  if (name === 'sortBy' && values.length === 2) return expandSortBy(call, target);
  const oneVariable = oneVariableMacros.get(`${name}/${values.length}`);
  if (oneVariable !== undefined) return expandFold(call, target, 1, oneVariable);
  const twoVariables = twoVariableMacros.get(`${name}/${values.length}`);
  return twoVariables === undefined ? undefined : expandFold(call, target, 2, twoVariables);
}

function expandHas({ at, values, nodes }: MacroCall): Expansion {
  const operand = values[0];
  if (operand?.kind !== 'select' || operand.testOnly) return { at, message: 'invalid argument to has() macro' };
  return nodes.select(at, operand.operand, operand.field, true);
}

function expandBind({ at, values, nodes }: MacroCall): Expansion {
  const [variable, initial, result] = values;
  if (variable?.kind !== 'ident')
    return { at: variable?.at ?? at, message: 'cel.bind() variable names must be simple identifiers' };
  return bind(nodes, at, variable.name, initial as Expression, result as Expression);
}

const sortInput = '@__sortBy_input__';

/** `list.sortBy(name, key)`: the list in the order of the keys that are made of its elements. */
function expandSortBy(call: MacroCall, target: Expression): Expansion {
  const { at, nodes } = call;
  if (!['list', 'select', 'ident', 'comprehension', 'call'].includes(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return { at: target.at, message };
  }
  const input = () => nodes.ident(at, sortInput);
  const keys = expandFold(call, input(), 1, transformList);
  if (keys === undefined || 'message' in keys) return keys;
  return bind(nodes, at, sortInput, target, nodes.call(at, '@sortByAssociatedKeys', [keys], input()));
}

/** A variable bound for one expression: a fold over nothing. */
function bind(nodes: NodeFactory, at: number, name: string, initial: Expression, result: Expression): Expression {
  return nodes.comprehension({
    at,
    range: nodes.list(at, []),
    variable: '#unused',
    accumulator: name,
    initial,
    condition: nodes.literal(at, false),
    step: nodes.ident(at, name),
    result,
  });
}

/** The parts of a fold that a macro makes of its arguments after the variables. */
interface Fold {
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

interface FoldContext {
  readonly at: number;
  readonly nodes: NodeFactory;
  readonly target: Expression;
  readonly variable: Expression;
  readonly values: readonly Expression[];
}

type FoldMacro = (context: FoldContext) => Fold | Expression;

function expandFold(call: MacroCall, target: Expression, count: 1 | 2, macro: FoldMacro): Expansion {
  const { at, nodes, values } = call;
  const [first, second] = values;
  const names = [first, ...(count === 2 ? [second] : [])].map((value) => (value?.kind === 'ident' ? value.name : ''));
  const wrong = names.findIndex((name) => name === '' || name.startsWith('.'));
  if (wrong >= 0) return { at: values[wrong]?.at ?? at, message: 'argument must be a simple name' };
  if (names.includes(accumulatorName) || names.includes('__result__')) {
    return { at: first?.at ?? at, message: 'iteration variable overwrites accumulator variable' };
  }
  if (count === 2 && names[0] === names[1]) {
    return { at: second?.at ?? at, message: `duplicate variable name: ${names[1]}` };
  }
  const parts = macro({ at, nodes, target, variable: first as Expression, values: values.slice(count) });
  if ('kind' in parts) return parts;
  const variables = count === 2 ? { variable2: names[1] as string } : {};
  return nodes.comprehension({
    at,
    range: target,
    variable: names[0] as string,
    ...variables,
    accumulator: accumulatorName,
    ...parts,
  });
}

const all: FoldMacro = ({ at, nodes, values }) => ({
  initial: nodes.literal(at, true),
  condition: nodes.call(at, '@not_strictly_false', [nodes.accumulator(at)]),
  step: nodes.call(at, '_&&_', [nodes.accumulator(at), values[0] as Expression]),
  result: nodes.accumulator(at),
});

const exists: FoldMacro = ({ at, nodes, values }) => ({
  initial: nodes.literal(at, false),
  condition: nodes.call(at, '@not_strictly_false', [nodes.call(at, '!_', [nodes.accumulator(at)])]),
  step: nodes.call(at, '_||_', [nodes.accumulator(at), values[0] as Expression]),
  result: nodes.accumulator(at),
});

const existsOne: FoldMacro = ({ at, nodes, values }) => ({
  initial: nodes.literal(at, 0),
  condition: nodes.literal(at, true),
  step: nodes.call(at, '_?_:_', [
    values[0] as Expression,
    nodes.call(at, '_+_', [nodes.accumulator(at), nodes.literal(at, 1)]),
    nodes.accumulator(at),
  ]),
  result: nodes.call(at, '_==_', [nodes.accumulator(at), nodes.literal(at, 1)]),
});

/** A fold that adds to a list or map; with a filter, only for the elements that it accepts. */
function collecting(at: number, nodes: NodeFactory, initial: Expression, add: Expression, filter?: Expression): Fold {
  return {
    initial,
    condition: nodes.literal(at, true),
    step: filter === undefined ? add : nodes.call(at, '_?_:_', [filter, add, nodes.accumulator(at)]),
    result: nodes.accumulator(at),
  };
}

function append(at: number, nodes: NodeFactory, value: Expression): Expression {
  return nodes.call(at, '_+_', [nodes.accumulator(at), nodes.list(at, [{ value, optional: false }])]);
}

const filter: FoldMacro = ({ at, nodes, variable, values }) =>
  collecting(at, nodes, nodes.list(at, []), append(at, nodes, variable), values[0]);

const transformList: FoldMacro = ({ at, nodes, values }) =>
  collecting(at, nodes, nodes.list(at, []), append(at, nodes, values.at(-1) as Expression), values.at(-2));

const transformMap: FoldMacro = ({ at, nodes, variable, values }) => {
  const insert = nodes.call(at, 'cel.@mapInsert', [nodes.accumulator(at), variable, values.at(-1) as Expression]);
  return collecting(at, nodes, nodes.map(at, []), insert, values.at(-2));
};

const transformMapEntry: FoldMacro = ({ at, nodes, values }) => {
  const insert = nodes.call(at, 'cel.@mapInsert', [nodes.accumulator(at), values.at(-1) as Expression]);
  return collecting(at, nodes, nodes.map(at, []), insert, values.at(-2));
};

/** `target.optMap(name, value)`: none stays none; otherwise the value with `name` bound to what target holds. */
function optionalMap(wrap: boolean): FoldMacro {
  return ({ at, nodes, target, variable, values }) => {
    const name = variable.kind === 'ident' ? variable.name : '';
    const value = bind(nodes, at, name, nodes.call(at, 'value', [], target), values[0] as Expression);
    const some = wrap ? nodes.call(at, 'optional.of', [value]) : value;
    return nodes.call(at, '_?_:_', [nodes.call(at, 'hasValue', [], target), some, nodes.call(at, 'optional.none', [])]);
  };
}

const oneVariableMacros: ReadonlyMap<string, FoldMacro> = new Map([
  ['all/2', all],
  ['exists/2', exists],
  ['exists_one/2', existsOne],
  ['existsOne/2', existsOne],
  ['map/2', transformList],
  ['map/3', transformList],
  ['filter/2', filter],
  ['optMap/2', optionalMap(true)],
  ['optFlatMap/2', optionalMap(false)],
]);

const twoVariableMacros: ReadonlyMap<string, FoldMacro> = new Map([
  ['all/3', all],
  ['exists/3', exists],
  ['existsOne/3', existsOne],
  ['exists_one/3', existsOne],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
]);
