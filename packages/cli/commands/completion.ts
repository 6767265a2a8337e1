import type { Command } from 'commander';
import { loadServerFlags } from '../cluster/server-flags.ts';
import { UserError } from '../terminal/user-error.ts';

export function addCompletion(program: Command): void {
  program
    .command('completion <shell>')
    .description('print the completion script of bash, zsh or fish')
    .action(async (shell: string) => {
      const script = scripts[shell];
      if (!script)
        throw new UserError(
          `There is no completion for "${shell}".`,
          `Choose one of: ${Object.keys(scripts).join(', ')}`,
        );
      for (const command of program.commands) await loadServerFlags(command);
      console.log(script(words(program)));
    });
}

/** Command → its flags and subcommands; '' stands for the program. */
function words(program: Command): Map<string, string[]> {
  const all = new Map([['', program.commands.map((command) => command.name())]]);
  for (const command of program.commands) {
    const flags = command.options.map(({ long }) => long ?? '').filter((flag) => flag !== '');
    all.set(command.name(), [...command.commands.map((sub) => sub.name()), ...flags, '--help']);
  }
  return all;
}

const cases = (all: Map<string, string[]>) =>
  [...all]
    .filter(([name]) => name !== '')
    .map(([name, list]) => `    ${name}) words="${list.join(' ')}" ;;`)
    .join('\n');

const bash = (all: Map<string, string[]>) => `_kubernode() {
  local words="${all.get('')?.join(' ')}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases(all)}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _kubernode kubernode ./kubernode`;

const scripts: Readonly<Record<string, (all: Map<string, string[]>) => string>> = {
  bash,
  zsh: (all) => `autoload -U +X bashcompinit && bashcompinit\n${bash(all)}`,
  fish: (all) =>
    [...all]
      .map(([name, list]) => {
        const condition = name === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${name}`;
        return `complete -c kubernode -n "${condition}" -a "${list.join(' ')}"`;
      })
      .join('\n'),
};
