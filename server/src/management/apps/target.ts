import type { Target } from '../../system-log/index.ts';
import { kindOfApp } from './modes/kind-rules.ts';
import type { App } from './store.ts';

/** What events name an app by. */
export interface NamedApp extends Pick<App, 'id' | 'label' | 'signOnMode'> {
  readonly document: Pick<App['document'], 'name'>;
}

/** How events name an app: alternateId = label, displayName = what kind of app it is. */
export const appTarget = (app: NamedApp): Target => ({
  id: app.id,
  type: 'AppInstance',
  alternateId: app.label,
  displayName: kindOfApp(app).title,
});
