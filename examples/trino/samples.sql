-- dialect: trino
CREATE VIEW samples AS
SELECT
  r.device_id,
  r.payload.site.room AS room,
  s.metric,
  s.level,
  CAST(ROW(r.payload.site.name, r.payload.battery) AS ROW(site VARCHAR, charge DOUBLE)) AS device
FROM readings AS r
CROSS JOIN UNNEST(r.payload.samples) AS s (metric, level);

CREATE VIEW room_levels AS
SELECT room, metric, max(level) AS peak, min(device.charge) AS weakest
FROM samples
GROUP BY room, metric;
