import type { Command } from 'commander';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this machine: programs, rights, kernel features')
    .action(async () => {
      const { examine } = await import('../setup/doctor.ts');
      const findings = await examine();
      for (const { title, ok, detail, remedy } of findings) {
        console.log(`${ok ? '✔' : '✖'} ${title}${detail ? `: ${detail}` : ''}`);
        if (!ok && remedy) console.log(`    ${remedy}`);
      }
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}
