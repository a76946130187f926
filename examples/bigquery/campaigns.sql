-- dialect: bigquery
-- The one orphan column of this workspace: neither table has DDL here, so nothing tells which of them owns `channel`.
CREATE OR REPLACE VIEW shop.campaign_visits AS
SELECT v.visit_id, c.campaign_id, channel
FROM web.visits AS v
JOIN web.campaigns AS c ON c.campaign_id = v.campaign_id;
