import { columns } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { BehaviorStatus } from './lifecycle.ts';
import type { BehaviorSettings, BehaviorType } from './rules.ts';

export interface Behavior {
  readonly id: string;
  readonly type: BehaviorType;
  readonly name: string;
  readonly status: BehaviorStatus;
  readonly settings: BehaviorSettings;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<Behavior>('behaviors', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  status: 'changes',
  settings: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const BEHAVIORS = resourceStore('behavior', COLUMNS);
