import { createHash } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { type AppId, newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant, MultipartForm } from '../../../platform/http/index.ts';
import { changeTarget } from '../../../system-log/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import type { AppPorts } from '../route-ports.ts';
import { type App, raiseRevision } from '../store.ts';
import { appTarget } from '../target.ts';
import { readImage } from './image-rules.ts';
import type { ShownLogo } from './logo-address.ts';
import { findLogosOf, type Logo, setLogo } from './logo-store.ts';

interface WithLogo {
  readonly app: App;
  readonly logo: (ShownLogo & { readonly sha256?: string }) | null;
}

const logoChange = changeTarget(
  ({ app }: WithLogo) => appTarget(app),
  ({ logo }) => ({
    'logo.id': logo?.id ?? null,
    'logo.mediaType': logo?.mediaType ?? null,
    'logo.sha256': logo?.sha256 ?? null,
  }),
);

export async function uploadLogo(
  { work }: Pick<AppPorts, 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  form: MultipartForm,
): Promise<ShownLogo> {
  const { orgId } = context;
  const file = form.get('file');
  if (file === undefined) throw required('file');
  const logo: Logo = {
    id: newId('appLogo', orgSuffixOf(orgId)),
    mediaType: readImage(file.content),
    content: file.content,
  };
  const sha256 = createHash('sha256').update(file.content).digest('hex');
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const before = (await findLogosOf(tx, orgId, [appId])).get(appId) ?? null;
    await setLogo(tx, orgId, appId, logo, wholeSecond(context.now));
    await raiseRevision(tx, orgId, appId);
    const target = logoChange([
      { app, logo: before },
      { app, logo: { id: logo.id, mediaType: logo.mediaType, sha256 } },
    ]);
    record({ eventType: 'application.configuration.update_logo', target: [target] });
    return logo;
  });
}
