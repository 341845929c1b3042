export { CSV_COLUMNS, csvLine } from './csv.ts';
export {
  EXPORT_FORMATS,
  ExportError,
  type ExportFormat,
  type ExportPlan,
  type ExportRequest,
  exportHead,
  exportPages,
  findChainPlace,
  planExport,
} from './export-log.ts';
export { followLog, readTail } from './tail-log.ts';
export { verifyFile } from './verify-file.ts';
