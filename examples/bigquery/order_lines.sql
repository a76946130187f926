-- dialect: bigquery
-- One row for each item of an order.
CREATE OR REPLACE VIEW shop.order_lines AS
SELECT
  o.order_id,
  DATE(o.placed_at) AS day,
  o.customer.address.city AS city,
  i.sku,
  i.qty,
  i.qty * i.unit_price AS amount,
  STRUCT(o.customer.name AS name, o.customer.phone AS phone) AS buyer
FROM shop.orders_raw AS o
CROSS JOIN UNNEST(o.items) AS i;
