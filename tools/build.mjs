// `npm run build`: the server's build, made only when its sources changed.
import { checkNode, ensureBuilt } from './setup.mjs';

checkNode();
await ensureBuilt();
