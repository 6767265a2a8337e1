/** Tells a person what goes on: a live line on a terminal, plain lines in a log. */
export interface Progress {
  /** Runs a step under its title. A failure is told with the title, and thrown on. */
  step<T>(title: string, run: () => Promise<T> | T): Promise<T>;
  /** A line of its own. */
  say(line: string): void;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** In a log, a step that takes longer than this gets a line when it begins, so that silence never looks like a hang. */
const quietMs = 1000;

export function createProgress(output: Output): Progress {
  return output.isTTY ? liveProgress(output) : plainProgress(output);
}

function liveProgress(output: Output): Progress {
  const clear = '\r\u001b[2K';
  return {
    say: (line) => void output.write(`${line}\n`),
    async step(title, run) {
      const startedMs = performance.now();
      let frame = 0;
      const draw = () => output.write(`${clear}${frames[frame++ % frames.length]} ${title} ${seconds(startedMs)}`);
      draw();
      const timer = setInterval(draw, frameMs);
      try {
        const result = await run();
        output.write(`${clear}✔ ${title} (${seconds(startedMs)})\n`);
        return result;
      } catch (error) {
        output.write(`${clear}✖ ${title} (${seconds(startedMs)})\n`);
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  };
}

function plainProgress(output: Output): Progress {
  return {
    say: (line) => void output.write(`${line}\n`),
    async step(title, run) {
      const startedMs = performance.now();
      const timer = setTimeout(() => output.write(`${title} ...\n`), quietMs);
      try {
        const result = await run();
        output.write(`${title}: done (${seconds(startedMs)})\n`);
        return result;
      } catch (error) {
        output.write(`${title}: FAILED (${seconds(startedMs)})\n`);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
