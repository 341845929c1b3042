import { createHash } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { notOneOf } from '../../../kernel/errors/field-errors.ts';

import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { type Tx, waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ThemeInput } from './contract.ts';
import { readThemeImage, type ThemeImageName } from './image-rules.ts';
import { readTheme, wordsOf } from './read-theme.ts';
import { addThemeImage, findTheme, removeUnusedImages, type StoredTheme, setTheme } from './theme-store.ts';
import { themeChange, themeVersion } from './wire.ts';

type Change = (tx: Tx, before: StoredTheme) => Promise<Partial<StoredTheme>>;

/** Writes and records nothing if the change has no effect. */
function changeTheme(work: Work, context: Context, change: Change): Promise<StoredTheme> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    await waitForOthers(tx, orgId, 'themes');
    const before = await findTheme(tx, orgId);
    assertVersion(context, themeVersion(context, before));
    const after = { ...before, ...(await change(tx, before)), revision: before.revision + 1 };
    const target = themeChange([before, after], context);
    if (target.changeDetails === undefined) return before;
    await setTheme(tx, orgId, after, wholeSecond(context.now));
    await removeUnusedImages(tx, orgId);
    record({ eventType: 'system.theme.update', target: [target] });
    return after;
  });
}

export async function replaceTheme(work: Work, context: Context, input: ThemeInput): Promise<StoredTheme> {
  const choices = readTheme(input, context.namespace.upper);
  return changeTheme(work, context, async () => choices);
}

/** Changes one colour or touch point by its published name. Null restores its default. */
export function changeThemeProperty(
  { work }: { readonly work: Work },
  context: Context,
  name: string,
  value: string | null,
): Promise<StoredTheme> {
  const { namespace } = context;
  return changeTheme(work, context, async (_, before) => {
    const words = wordsOf(before, namespace.upper);
    if (!Object.hasOwn(words, name)) throw notOneOf(name, Object.keys(words));
    return readTheme({ ...words, [name]: value }, namespace.upper);
  });
}

export async function uploadThemeImage(
  { work }: { readonly work: Work },
  context: Context,
  name: ThemeImageName,
  content: Buffer,
): Promise<StoredTheme> {
  const mediaType = readThemeImage(name, content);
  const digest = createHash('sha256').update(content).digest('hex');
  return changeTheme(work, context, async (tx) => {
    await addThemeImage(tx, context.orgId, { digest, mediaType, content }, wholeSecond(context.now));
    return { [name]: digest };
  });
}

export const deleteThemeImage = (
  { work }: { readonly work: Work },
  context: Context,
  name: ThemeImageName,
): Promise<StoredTheme> => changeTheme(work, context, async () => ({ [name]: null }));
