import type { Target } from '../../system-log/index.ts';
import type { App } from './store.ts';

/** How events name an app: alternateId = label, displayName = what kind of app it is. */
export const appTarget = (app: Pick<App, 'id' | 'label'>): Target => ({
  id: app.id,
  type: 'AppInstance',
  alternateId: app.label,
  displayName: 'OpenID Connect Client',
});
