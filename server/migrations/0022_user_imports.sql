-- Imports of users out of files: how far each has come, so that one that was killed goes on where it stopped (ADR 0032).
create table user_imports (
  org_id      text collate "C" not null,
  -- SHA-256 of the file's bytes: the same file under another name is the same import.
  file_digest bytea not null,
  file_name   text not null,
  -- Format and options, which decide what the file does; a run that goes on must have the same ones.
  request     jsonb not null,
  -- How the file is cut into batches, for as long as the import lasts.
  batch_rows  integer not null,
  batch_bytes integer not null,
  started_at  timestamptz not null,
  finished_at timestamptz,
  -- What became of the rows, once all are done.
  outcome     jsonb,
  constraint user_imports_pkey primary key (org_id, file_digest),
  constraint user_imports_outcome_check check ((finished_at is null) = (outcome is null)),
  constraint user_imports_org_id_fkey foreign key (org_id) references orgs (id) on delete cascade
);

-- Batches that are done, each written by the transaction that imported its users. Gone when the import is finished.
create table user_import_batches (
  org_id      text collate "C" not null,
  file_digest bytea not null,
  number      integer not null,
  outcome     jsonb not null,
  -- Row number, field and reason of what was refused; never a value out of the file.
  problems    jsonb not null,
  constraint user_import_batches_pkey primary key (org_id, file_digest, number),
  constraint user_import_batches_file_digest_fkey foreign key (org_id, file_digest)
    references user_imports (org_id, file_digest) on delete cascade
);
