import type { Target } from '../../system-log/index.ts';
import { kindOfApp } from './modes/kind-rules.ts';
import type { App } from './store.ts';

export interface NamedApp extends Pick<App, 'id' | 'label' | 'signOnMode'> {
  readonly document: Pick<App['document'], 'name'>;
}

export const appTarget = (app: NamedApp): Target => ({
  id: app.id,
  type: 'AppInstance',
  alternateId: app.label,
  displayName: kindOfApp(app).title,
});
