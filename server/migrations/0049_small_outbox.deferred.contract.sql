-- From here on, events wait in log_inputs. It is applied when no process runs that reads only log_outbox (ADR 0070).
comment on table log_inputs is 'Events that wait for the relay, as inputs.';
