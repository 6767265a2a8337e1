import { join } from 'node:path';
import { CommandError, run, runAny } from '../host/command.ts';
import { writeJson } from '../host/files.ts';

/** runc or crun, with the folder where it keeps its own state. */
export class OciRuntime {
  readonly path: string;
  readonly stateFolder: string;

  constructor(path: string, stateFolder: string) {
    this.path = path;
    this.stateFolder = stateFolder;
  }

  /** Lets the prepared process run. Throws with the runtime's words. */
  async start(id: string): Promise<void> {
    await this.#run(['start', id]);
  }

  /** Ends what is left of the container: processes, cgroup, state. Quiet where there is nothing. */
  async delete(id: string): Promise<void> {
    const result = await runAny(this.path, [...this.#global(), 'delete', '--force', id]);
    if (result.code === 0 || /does not exist|No such file/.test(result.stderr.toString())) return;
    throw new CommandError('delete container', result.code, result.stderr.toString());
  }

  /** Sets limits of a running container; `bundle` is its folder. crun cannot read them from a socket, so they are a file. */
  async update(id: string, bundle: string, resources: Record<string, unknown>): Promise<void> {
    const file = join(bundle, 'resources.json');
    await writeJson(file, resources);
    await run(this.path, [...this.#global(), 'update', '--resources', file, id]);
  }

  async status(id: string): Promise<string | undefined> {
    const result = await runAny(this.path, [...this.#global(), 'state', id]);
    if (result.code !== 0) return undefined;
    return (JSON.parse(result.stdout.toString()) as { status?: string }).status;
  }

  /** The command line that runs the process of a file (see `writeExecProcess`) in the container. */
  execArgs(id: string, options: { readonly processFile: string; readonly pidFile: string }): string[] {
    return [...this.#global(), 'exec', '--process', options.processFile, '--pid-file', options.pidFile, id];
  }

  #global(): string[] {
    return ['--root', this.stateFolder];
  }

  async #run(args: readonly string[]): Promise<void> {
    const result = await runAny(this.path, [...this.#global(), ...args]);
    if (result.code !== 0) throw new Error(runtimeMessage(result.stderr.toString()));
  }
}

/** The error in what runc (logfmt) or crun (plain) says on its way out. */
export function runtimeMessage(output: string): string {
  const lines = output.split('\n').filter(Boolean);
  const plain = lines.filter((line) => !line.startsWith('time="'));
  const quoted = lines.map((line) => /level=(?:error|fatal) msg=("(?:[^"\\]|\\.)*")/.exec(line)?.[1]).find(Boolean);
  if (plain.length > 0) return plain.join(' ').trim();
  return quoted ? (JSON.parse(quoted) as string) : output.trim();
}
