/** Where a database is and who connects; what is absent is as the PostgreSQL driver has it. */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}
