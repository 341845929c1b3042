import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import {
  importOrg,
  OPERATOR_PARTS,
  type OperatorPart,
  openOrgFile,
  TransferError,
} from '../../directory-transfer/index.ts';
import { openMasterKey } from '../../installation/installation.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { numberEvents } from '../log/number-events.ts';
import { print, printable } from '../output/output.ts';
import { progressBar } from '../output/progress-bar.ts';
import { commandContext } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface OrgOptions {
  readonly passphraseFile?: string;
  readonly subdomain?: string;
  readonly keep?: readonly OperatorPart[];
  readonly dryRun?: boolean;
}

export async function readPassphrase(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch(() => {
    throw new TransferError(`The passphrase can't be read from ${path}.`);
  });
  return text.split(/\r?\n/, 1)[0] ?? '';
}

const EVERYTHING = 'everything';

function readKeep(text: string): readonly OperatorPart[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes(EVERYTHING)) return OPERATOR_PARTS;
  return words.map((word) => {
    const part = OPERATOR_PARTS.find((known) => known === word);
    if (part === undefined) {
      throw new InvalidArgumentError(`Allowed values are ${OPERATOR_PARTS.join(', ')}, or ${EVERYTHING}.`);
    }
    return part;
  });
}

type Report = Awaited<ReturnType<typeof importOrg>>;

function printOrgReport({ leftOut, refused, rows }: Report, org: string, isTrial: boolean): void {
  const count = rows.toLocaleString('en');
  for (const { line, reason, table } of refused) print(`Line ${line}, ${table}: ${printable(reason)}`);
  if (refused.length > 0) {
    print(`Nothing was written: ${refused.length.toLocaleString('en')} rows were refused.`);
    process.exitCode = 1;
  } else if (isTrial) print(`Nothing was written. The org would be ${org}, with ${count} rows.`);
  else print(`The org ${org} was imported: ${count} rows. They export as the same bytes.`);
  if (leftOut.length === 0) return;
  print('Left out, because only operators set it (use --keep to accept it):');
  for (const one of leftOut) print(`  ${printable(one)}`);
}

async function importWholeOrg(path: string, options: OrgOptions): Promise<void> {
  const passphrase = await readPassphrase(options.passphraseFile);
  const file = await openOrgFile(path);
  const isTrial = options.dryRun === true;
  const report = await withApplication(async (application, config) => {
    const id = toOrgId(file.header.org);
    const bar = progressBar(file.header.org, isTrial ? 'tried' : 'imported');
    const context = commandContext(config, { id, subdomain: '' });
    const masterKey = await openMasterKey(config);
    const ports = { work: application.work, masterKey, baseDomain: config.baseDomain };
    const done = await importOrg(ports, context, file, {
      passphrase,
      isTrial,
      subdomain: options.subdomain?.toLowerCase() ?? null,
      keep: new Set(options.keep ?? []),
      operator: userInfo().username,
      progressed: (rows) => bar.show(rows, file.rows, rows),
    });
    bar.end();
    if (!isTrial && done.refused.length === 0) await numberEvents(application, file.header.org);
    return done;
  });
  printOrgReport(report, file.header.org, isTrial);
  if (report.refused.length > 0) return;
  if (file.header.secrets === 'left out') print('The file does not contain secrets. Create new ones.');
  if (!file.header.hashes) print('The file does not contain passwords. Users need new ones.');
}

const ORG_HELP = `
Import only files from a source that you trust: the digest does not prove who wrote a file, and the file decides the
roles, keys, apps and users of the org. Rows that the API would refuse are refused; --dry-run lists them.
Parts that only operators set are left out and listed, unless --keep names them:
${OPERATOR_PARTS.join(', ')}, or ${EVERYTHING}.
subdomain: the org's subdomain (--subdomain sets another). domains: its custom domains. proxies: the proxies whose
X-Forwarded-For it trusts. limits: its rate limits. retention: how long its events are kept. redirects: whether apps
may register redirect URIs with http.
`;

export function addOrgImport(parent: Command): void {
  parent
    .command('org <file>')
    .description('import an org from a file that gatehouse export org wrote; nothing is imported if a row is refused')
    .option('--passphrase-file <file>', 'file whose first line is the passphrase of the secrets')
    .option('--subdomain <subdomain>', 'subdomain of the imported org')
    .option('--keep <parts>', 'operator settings to accept, separated by commas', readKeep)
    .option('--dry-run', 'show what would happen, without writing anything')
    .addHelpText('after', ORG_HELP)
    .action(importWholeOrg);
}
