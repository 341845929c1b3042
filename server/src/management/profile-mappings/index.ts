export { readAppFacts } from './app-facts.ts';
export { checkStoredMapping } from './check-stored.ts';
export { defaultProperties, type MappedProperties } from './default-properties.ts';
export {
  createMappingsOfApp,
  createMappingsOfType,
  forgetAttributes,
  removeMappingsOfApp,
} from './reactions.ts';
export { mappingSymbols } from './read-update.ts';
