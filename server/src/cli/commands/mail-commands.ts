import type { Command } from 'commander';
import { firstOrgUrl } from '../../installation/first-start.ts';
import { InstallationError, openMasterKey } from '../../installation/installation.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { linksIn, listMails } from '../../platform/mail/index.ts';
import { showsMails } from '../../settings/config.ts';
import { mailsPageUrl } from '../../sign-in/index.ts';
import { count } from '../arguments.ts';
import { print, printRows, printText } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface MailListOptions {
  readonly org?: string;
  readonly limit: number;
  readonly text?: boolean;
  readonly json?: boolean;
}

const linkOf = (text: string | null): string | null => linksIn(text ?? '')[0] ?? null;

async function list(options: MailListOptions): Promise<void> {
  const mails = await withApplication(async ({ db }, config) => {
    const org = await findOrg(db, options.org);
    return listMails(db, await openMasterKey(config), org.id, options.limit);
  });
  if (options.text === true && options.json !== true) {
    for (const mail of mails) {
      printText(`${mail.createdAt.toISOString()}  to ${mail.recipient}: ${mail.subject}`);
      printText(mail.text ?? `(sent ${mail.sentAt?.toISOString() ?? ''}; the text is not kept)`);
      print('---');
    }
    return;
  }
  const rows = mails.map((mail) => ({
    created: mail.createdAt.toISOString(),
    recipient: mail.recipient,
    kind: mail.kind,
    sent: mail.sentAt?.toISOString() ?? null,
    link: linkOf(mail.text),
  }));
  printRows(rows, options);
}

async function key({ org: subdomain }: { readonly org?: string }): Promise<void> {
  const url = await withApplication(async ({ db }, config) => {
    if (!showsMails(config)) {
      throw new InstallationError(
        `This installation has no page that shows mails. To list them, run: ${commandLine('mail list')}`,
      );
    }
    const masterKey = await openMasterKey(config);
    if (subdomain === undefined) return mailsPageUrl(firstOrgUrl(config), masterKey);
    return mailsPageUrl(commandContext(config, await findOrg(db, subdomain)).baseUrl, masterKey);
  });
  print(url);
}

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('read outgoing mails');
  mail
    .command('list')
    .description('list the newest mails of an org, with the links of those that were not sent')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .option('--limit <number>', 'number of mails', count, 50)
    .option('--text', 'print the full texts')
    .option('--json', 'print JSON')
    .action(list);
  mail
    .command('key')
    .description('print the URL of the page that shows mails, with its key')
    .option('--org <subdomain>', 'the org (default: the first one)')
    .action(key);
}
