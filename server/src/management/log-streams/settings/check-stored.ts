import { invalid } from '../../../kernel/errors/errors.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { assertIsOf } from '../../../platform/http/index.ts';
import { LogStreamBody } from '../contract.ts';
import { wireSettings } from '../wire.ts';
import { readName } from './name-rules.ts';
import { readSettings } from './settings-rules.ts';
import type { LogStreamSettings } from './stream-types-rules.ts';

export function checkStoredLogStream(row: Members): void {
  const settings = row['settings'] as LogStreamSettings;
  if (settings.type !== row['type']) throw invalid('settings.type', 'must be the type of the stream.');
  const body: unknown = { name: row['name'], type: row['type'], settings: wireSettings(settings) };
  assertIsOf(LogStreamBody, body);
  readName(body.name, body.name);
  assertReadsAsStored('settings', settings, readSettings(body.type, body.settings).settings);
}
