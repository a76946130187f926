-- dialect: spark
CREATE OR REPLACE VIEW music.track_plays AS
SELECT p.play_id, p.listener.home.country AS country, t.track_id, t.seconds
FROM music.plays AS p
LATERAL VIEW explode(p.tracks) e AS t;

-- A map is an array of entries: tags['mood'] is a node of its own, map_keys(tags) reads tags[*].key.
CREATE OR REPLACE VIEW music.moods AS
SELECT
  play_id,
  tags['mood'].label AS mood,
  map_keys(tags) AS tag_names,
  transform(tracks, x -> x.seconds) AS lengths
FROM music.plays;

CREATE OR REPLACE VIEW music.country_minutes AS
SELECT country, mood, sum(seconds) / 60 AS minutes
FROM music.track_plays
JOIN music.moods USING (play_id)
GROUP BY country, mood;
