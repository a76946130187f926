-- dialect: spark
CREATE TABLE music.plays (
  play_id  BIGINT,
  listener STRUCT<id: BIGINT, plan: STRING, home: STRUCT<country: STRING>>,
  tracks   ARRAY<STRUCT<track_id: STRING, seconds: INT>>,
  tags     MAP<STRING, STRUCT<label: STRING, score: DOUBLE>>
)
USING parquet;
