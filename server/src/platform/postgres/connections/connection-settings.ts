/** The address of a database and its user. Absent members have the defaults of the PostgreSQL driver. */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}
