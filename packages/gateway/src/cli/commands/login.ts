import type { Command } from 'commander';
import { createLoginLink } from '../../dashboard/login-link.ts';
import { accountOf } from '../account-of.ts';
import { type Io, UsageError, withContext } from '../io.ts';

export function addLogin(program: Command, io: Io): void {
  program
    .command('login')
    .description('prints a link that signs in to the dashboard; valid once, for ten minutes')
    .option('--account <id>', 'default: the first account')
    .option('--email <address>', 'e-mail address of the person, stored with their approvals')
    .action((options: { account?: string; email?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { email = null } = options;
        if (email !== null && !isAddress(email))
          throw new UsageError(
            `--email takes an address such as anna@shop.example, at most ${LONGEST} characters, not "${email}".`,
          );
        const { id, name } = await accountOf(context, options.account);
        const { url, expiresAt } = await createLoginLink(context, { accountId: id, email });
        if (command.optsWithGlobals()['json'])
          return io.out(JSON.stringify({ url, expires_at: expiresAt }));
        io.note(
          `Signs in to the dashboard of "${name}", once, until ${expiresAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z. Treat it like a password.`,
        );
        io.out(url);
      }),
    );
}

/** Longest address (RFC 5321). */
const LONGEST = 254;

const isAddress = (text: string): boolean =>
  text.length <= LONGEST && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);
