import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { readSide } from './rules.ts';

export function checkStoredDefinition(row: Members): void {
  for (const place of ['primary', 'associated'] as const) {
    const column = `${place}_description`;
    const side = {
      name: storedText(row, `${place}_name`),
      title: storedText(row, `${place}_title`),
      description: isAbsent(row[column]) ? null : storedText(row, column),
    };
    assertReadsAsStored(place, side, readSide(place, side));
  }
}
