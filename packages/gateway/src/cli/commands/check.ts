import type { Command } from 'commander';
import type { Finding } from '../../check/finding.ts';
import { runCheck } from '../../check/run.ts';
import type { Config } from '../../config.ts';
import { type Io, UsageError } from '../io.ts';
import { showRows } from '../table.ts';

/** @param run Default: the real one; tests hand in its findings */
export function addCheck(
  program: Command,
  io: Io,
  run: (config: Config) => Promise<Finding[]> = (config) => runCheck(config),
): void {
  program
    .command('check')
    .description(
      'looks at everything that a main network needs, and changes nothing; also while the service runs. Exits with 1 on faults',
    )
    .action(async (_: unknown, command: Command) => {
      const findings = await run(io.config());
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      if (json)
        showRows(
          io,
          { json },
          findings.map((one) => ({ ...one })),
          '',
        );
      // Whole sentences: the remedy must not be cut.
      else
        for (const { result, about, says } of findings)
          io.out(`${result.padEnd(7)}  ${about}: ${says}`);
      const faults = findings.filter(({ result }) => result === 'fault').length;
      if (faults > 0)
        throw new UsageError(faults === 1 ? 'There is one fault.' : `There are ${faults} faults.`);
    });
}
