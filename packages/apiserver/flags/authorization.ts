import { authorizationModes, type AuthorizationMode } from '../authorization/modes.ts';
import { list } from './flag.ts';
import { FlagError, flagGroup } from './group.ts';

/** May they. */
export const authorizationFlags = flagGroup({
  title: 'authorization',
  flags: {
    'authorization-mode': list('<list>', 'asked in this order: Node, RBAC, AlwaysAllow, AlwaysDeny', 'Node,RBAC'),
  },
  toOptions: (values) => ({ security: { authorizationModes: values['authorization-mode']?.map(modeOf) } }),
});

function modeOf(name: string): AuthorizationMode {
  const known = authorizationModes.find((mode) => mode === name);
  if (known) return known;
  const expected = `expected ${authorizationModes.join(', ')}`;
  throw new FlagError('authorization-mode', `there is no mode ${JSON.stringify(name)}, ${expected}`);
}
