-- The caps that a period had before its present one, as a JSON array of `{until, cap}` in minor units. Null if its caps changed
-- before this was stored.
ALTER TABLE spend_periods ADD COLUMN former_caps text;

-- When the usage events of test buckets arrived, whose clocks stand still in between: those up to one, at this time.
CREATE TABLE clock_moves (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  last_event INTEGER NOT NULL,
  -- The clock before it moved. 0 if it is not known, for events that arrived before this was stored.
  test_clock INTEGER NOT NULL,
  PRIMARY KEY (bucket_seq, last_event)
) WITHOUT_ROWID;
INSERT INTO clock_moves (bucket_seq, last_event, test_clock)
  SELECT seq, (SELECT COALESCE(MAX(seq), 0) FROM usage_events), 0 FROM metering_buckets WHERE test_clock IS NOT NULL;
