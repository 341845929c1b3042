import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { InstallationError } from '../../installation/installation.ts';
import {
  changeThemeProperty,
  deleteThemeImage,
  THEME_IMAGES,
  type ThemeImageName,
  uploadThemeImage,
} from '../../management/brands/index.ts';
import { print } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

interface OrgOption {
  readonly org?: string;
}

const NAMES = Object.keys(THEME_IMAGES) as ThemeImageName[];
const PATHS = NAMES.map((name) => THEME_IMAGES[name].path);

function imageNamed(text: string): ThemeImageName {
  const found = NAMES.find((name) => THEME_IMAGES[name].path === text);
  if (found === undefined) throw new InvalidArgumentError(`Allowed values are ${PATHS.join(', ')}.`);
  return found;
}

async function set(property: string, value: string, options: OrgOption): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    const given = value === 'null' ? null : value;
    await changeThemeProperty(application, commandContext(config, org), property, given);
    print(`${org.subdomain}: ${property} is ${given ?? 'back at its default'}.`);
  });
}

async function upload(image: ThemeImageName, path: string, options: OrgOption): Promise<void> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new InstallationError(`${path} can't be read: ${error.code ?? error.message}.`);
  });
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    await uploadThemeImage(application, commandContext(config, org), image, content);
    print(`${org.subdomain}: the ${THEME_IMAGES[image].path} is now ${path}.`);
  });
}

async function remove(image: ThemeImageName, options: OrgOption): Promise<void> {
  await withApplication(async (application, config) => {
    const org = await findOrg(application.db, options.org);
    await deleteThemeImage(application, commandContext(config, org), image);
    print(`${org.subdomain}: the ${THEME_IMAGES[image].path} was removed.`);
  });
}

export function addThemeCommands(program: Command): void {
  const theme = program.command('theme').description("change the look of an org's pages and mails");
  const orgOption = ['--org <subdomain>', 'the org; needed when there is more than one'] as const;
  theme
    .command('set <property> <value>')
    .description(
      'set a colour (#rrggbb) or touch point, by its name at /api/v1/brands/{id}/themes; null restores the default',
    )
    .option(...orgOption)
    .action(set);
  theme
    .command('upload')
    .description(`upload an image: ${PATHS.join(', ')}`)
    .argument('<image>', 'which', imageNamed)
    .argument('<file>', 'a PNG, JPG or GIF file; for the favicon, PNG or ICO')
    .option(...orgOption)
    .action(upload);
  theme
    .command('remove')
    .description('remove an image')
    .argument('<image>', 'which', imageNamed)
    .option(...orgOption)
    .action(remove);
}
