-- What customers would have been billed with other plans. The result is null until it is complete.
CREATE TABLE simulations (
  seq SEQ,
  id text NOT NULL CONSTRAINT simulations_id_key UNIQUE,
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  job_id text NOT NULL,
  -- The request.
  input text NOT NULL,
  -- Null until the first customers are computed.
  result text,
  created_on INTEGER NOT NULL
);
CREATE INDEX simulations_of_bucket ON simulations (bucket_seq, seq);
CREATE INDEX simulations_by_time ON simulations (created_on);

-- A row for each customer and currency, in minor units.
CREATE TABLE simulation_customers (
  simulation_seq INTEGER NOT NULL REFERENCES simulations ON DELETE CASCADE,
  customer_key text NOT NULL,
  currency text NOT NULL,
  amount_before INTEGER NOT NULL,
  amount_after INTEGER NOT NULL,
  difference INTEGER NOT NULL,
  -- The difference without its sign, by which customers are listed.
  size INTEGER NOT NULL,
  -- `exact`, `hour` or `day`.
  exactness text NOT NULL,
  limited_on INTEGER,
  -- What was invoiced, if it differs from what was computed.
  invoiced INTEGER,
  PRIMARY KEY (simulation_seq, customer_key, currency)
) WITHOUT_ROWID;
CREATE INDEX simulation_customers_by_size ON simulation_customers (simulation_seq, size DESC, customer_key, currency);
