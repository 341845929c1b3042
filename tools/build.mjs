// `npm run build` builds the server if a file that the build depends on has changed.
import { checkNode, ensureBuilt } from './setup.mjs';

checkNode();
await ensureBuilt();
