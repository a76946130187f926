-- dialect: trino
-- Sensors write Parquet files; the table reads them where they lie.
CREATE TABLE readings (
  device_id BIGINT,
  taken_at  TIMESTAMP(3),
  payload   ROW(
    site    ROW(name VARCHAR, room VARCHAR),
    battery DOUBLE,
    samples ARRAY(ROW(metric VARCHAR, level DOUBLE))
  )
)
WITH (format = 'PARQUET', external_location = 's3://sensor-lake/readings/');
