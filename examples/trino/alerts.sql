-- dialect: trino
-- The one undeclared field of this workspace: a site has a `name` and a `room`, but no `floor`.
CREATE VIEW alerts AS
SELECT
  device_id,
  payload.samples[1].level AS first_level,
  payload.site.name AS site,
  payload.site.floor AS floor
FROM readings
WHERE payload.battery < 0.2;
