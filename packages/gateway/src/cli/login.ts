import type { Command } from 'commander';
import { createLoginLink } from '../dashboard/login-link.ts';
import { accountOf } from './account-of.ts';
import { type Io, UsageError, withContext } from './io.ts';

export function addLogin(program: Command, io: Io): void {
  program
    .command('login')
    .description('a link that signs one person in to the dashboard, once, within ten minutes')
    .option('--account <id>', 'default: the first account')
    .option('--email <address>', 'of the person: it stands on what they approve')
    .action((options: { account?: string; email?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { email = null } = options;
        if (email !== null && !isAddress(email))
          throw new UsageError(`--email takes an address as anna@shop.example, of at most ${LONGEST} characters, not "${email}".`);
        const { id, name } = await accountOf(context, options.account);
        const { url, expiresAt } = await createLoginLink(context, { accountId: id, email });
        if (command.optsWithGlobals()['json']) return io.out(JSON.stringify({ url, expires_at: expiresAt }));
        io.note(
          `Signs in to the dashboard of "${name}", once, until ${expiresAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z. It is as good as a password.`,
        );
        io.out(url);
      }),
    );
}

/** Of an address (RFC 5321). */
const LONGEST = 254;

const isAddress = (text: string): boolean => text.length <= LONGEST && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);
